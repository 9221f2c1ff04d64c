"""What personal data looks like: the patterns behind ``private_data.find``.

They are applied to text in which every digit is an ASCII digit, every dash a hyphen and every space
a plain one. Each has a bounded number of repetitions, none of which can match in two ways, so that
no text makes them slow.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE


def _any(*choices: str) -> str:
    return f"(?:{'|'.join(' '.join(choices).split())})"


# E-mail. Spelled out, "look at amazon.com" is none: then the dot is spelled too, or the domain is
# one of those where people have their mail.

_AT = r"\s?[\[({<]\s?at\s?[\])}>]\s?"
_DOT = r"(?:\.|\s?[\[({<]\s?dot\s?[\])}>]\s?|\sdot\s)"
_TOP = _any("com net org edu gov io co me info biz eu uk us de fr it es nl at ch au ca in jp br ru")
_MAIL = _any("gmail googlemail hotmail outlook yahoo icloud aol gmx web proton protonmail mail")
_LOCAL = r"(?<![\w.+%-])[\w.+%-]{1,64}"
EMAILS = (
    re.compile(rf"{_LOCAL}@(?P<domain>[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,4}})"),
    re.compile(rf"{_LOCAL}{_AT}(?P<domain>[\w-]{{2,63}}{_DOT}{_TOP})\b", _I),
    re.compile(rf"{_LOCAL}\sat\s(?P<domain>[\w-]{{2,63}}\sdot\s{_TOP})\b", _I),
    re.compile(rf"{_LOCAL}\sat\s(?P<domain>{_MAIL}{_DOT}{_TOP})\b", _I),
)
#: Domains that nobody can own (RFC 2606, RFC 6761).
RESERVED_DOMAIN = re.compile(
    r"(?:^|\.)(?:example\.(?:com|net|org|edu)|example|test|invalid|localhost)$"
)

# Telephone numbers. The group "number" is what is found.

_BEFORE, _AFTER = r"(?<![\w.,+$-])", r"(?![\w-])"
_DATE = r"(?!\d{1,2}(?P<mark>[./-])\d{1,2}(?P=mark)(?:19|20)\d\d)"
_YEAR = r"(?!(?:19|20)\d\d\b)"
_CALLING = _any(
    "call text phone tel telephone cell mobile reach dial sms whats\\s?app contact fax",
    "anruf\\w{0,3} ruf telefon\\w{0,6} handy tél\\w{0,8} portable llama\\w{0,4} tel[eé]fono",
)
PHONES = (
    # With a country code: +49 (0)171 1234567, 0033 6 12 34 56 78.
    re.compile(r"(?<![\w+])(?P<number>(?:\+|00)[1-9](?:[ ./()-]{0,3}\d){7,14})(?!\w)"),
    # North America: (212) 555-2368, 1-212-555-2368, 212.555.2368, 2125552368.
    re.compile(
        rf"{_BEFORE}(?P<number>(?:1[ .-]?)?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-]?)"
        rf"[2-9]\d\d[ .-]?\d{{4}}){_AFTER}"
    ),
    # National forms with a leading zero: 020 7123 4567, (030) 1234567, 06 12 34 56 78.
    re.compile(
        rf"{_BEFORE}(?P<number>{_DATE}(?=\(?0(?:[ ./()-]{{0,3}}\d){{8}})\(?0\d{{1,4}}\)?"
        rf"[ /.-]{{1,3}}\d{{2,8}}(?:[ .-]\d{{2,5}}){{0,4}}){_AFTER}"
    ),
    re.compile(rf"{_BEFORE}(?P<number>0[1-9]\d{{8,9}}){_AFTER}"),
    # Chinese and Brazilian mobiles.
    re.compile(rf"{_BEFORE}(?P<number>1[3-9]\d[ -]?\d{{4}}[ -]?\d{{4}}){_AFTER}"),
    re.compile(rf"(?P<number>\(\d\d\) ?9?\d{{4}}-\d{{4}}){_AFTER}"),
    # Digits one by one.
    re.compile(rf"{_BEFORE}(?P<number>\d(?:[ .-]\d){{8,14}}){_AFTER}"),
    # Anything of seven digits or more that a word announces: "text me on 555 2368".
    re.compile(
        rf"\b{_CALLING}\b[^\d\n]{{0,20}}(?P<number>{_YEAR}(?=(?:[ ./()-]{{0,2}}\d){{7}})"
        rf"\(?\d{{2,12}}\)?(?:[ ./-]{{1,2}}\d{{2,8}}){{0,4}}){_AFTER}",
        _I,
    ),
)
DIGIT_WORDS = {
    **{"zero": "0", "oh": "0", "one": "1", "two": "2", "three": "3", "four": "4"},
    **{"five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"},
}
_DIGIT_WORD = _any(*DIGIT_WORDS)
SPELLED_NUMBER = re.compile(rf"\b{_DIGIT_WORD}(?:[ ,-]{{1,3}}{_DIGIT_WORD}){{6,14}}\b", _I)
#: Numbers for fiction: North America, Great Britain, France, Germany, Australia; digits only, with
#: a plus before the country code where the text gives one.
RESERVED_PHONE = re.compile(
    r"(?:\+?1)?(?:[2-9]\d\d)?55501\d\d"
    r"|(?:\+440?|0)(?:1632960\d{3}|2079460\d{3}|7700900\d{3}|1\d\d4960\d{3})"
    r"|(?:\+330?|0)(?:19900|26191|35301|46571|53649|63998)\d{4}"
    r"|(?:\+490?|0)(?:3023125|6990009|4066969|2214710|8999998)\d{3}"
    r"|(?:\+610?|0)(?:[2378](?:5550|7010)\d{4}|491570\d{3})"
)

# Cards and accounts.

CARD = re.compile(r"(?<![\w-])\d(?:[ -]?\d){13,18}(?![\w-])")
CARD_NETWORK = re.compile(
    r"4\d{15}|4\d{18}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}|62\d{14,17}"
)
PARTS_OF_CARDS = (
    re.compile(r"\bcard\b[^\d\n]{0,25}\bend(?:s|ing)\s(?:(?:in|with|on)\s)?\d{4}\b", _I),
    re.compile(r"\blast (?:four|4)\b[^\d\n]{0,20}\d{4}\b", _I),
    re.compile(r"\bcv[vc]2?\b[^\d\n]{0,8}\d{3,4}\b", _I),
)
#: The place of a candidate, which is group 1: it may run on into the words that follow.
IBAN = re.compile(r"(?<![A-Za-z0-9])(?=([A-Za-z]{2}\d\d(?: ?[A-Za-z0-9]){11,30}))")
IBAN_LENGTHS = {
    **{"NO": 15, "BE": 16, "DK": 18, "FI": 18, "NL": 18, "MK": 19, "SI": 19, "AT": 20, "BA": 20},
    **{"EE": 20, "LT": 20, "LU": 20, "CH": 21, "HR": 21, "LI": 21, "LV": 21, "BG": 22, "DE": 22},
    **{"GB": 22, "GE": 22, "IE": 22, "ME": 22, "RS": 22, "AE": 23, "GI": 23, "IL": 23, "AD": 24},
    **{"CZ": 24, "ES": 24, "MD": 24, "PK": 24, "RO": 24, "SA": 24, "SE": 24, "SK": 24, "PT": 25},
    **{"IS": 26, "TR": 26, "FR": 27, "GR": 27, "IT": 27, "MC": 27, "SM": 27, "AL": 28, "AZ": 28},
    **{"CY": 28, "HU": 28, "LB": 28, "PL": 28, "BR": 29, "EG": 29, "UA": 29, "QA": 29, "KZ": 20},
    **{"MT": 31, "MU": 30, "KW": 30, "JO": 30, "VG": 24, "TN": 24, "FO": 18, "GL": 18, "XK": 20},
}
NATIONAL_IDS = (
    # United States; 000, 666 and 9xx are never given out.
    re.compile(r"(?<![\w-])(?!000|666|9)\d{3}([ -])(?!00)\d\d\1(?!0000)\d{4}(?![\w-])"),
    # United Kingdom, as it is printed on the card; Q stands in examples only.
    re.compile(r"\b[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] \d\d \d\d \d\d [A-D]\b"),
    re.compile(
        r"\b(?:passport|licen[cs]e|social security|ssn|national insurance|tax id|id card)\b"
        r"[^\d\n]{0,20}\d{6,9}\b",
        _I,
    ),
)

# Addresses. A house number is no size and no count: the words after those are kept out.

_NOT_IN_STREETS = _any(
    "gb tb mb kb ghz mhz hz mm cm km m in inch inches ft foot feet yd oz lb lbs kg g ml l qt",
    "mah v w watt volt amp pc pcs piece pieces pack packs set sets pair pairs lot count ct x",
    "by bay port ports pin speed speeds tier tiers player players way zone channel channels",
    "disc disk hard flash thumb pen usb ssd hdd zip optical solid external internal portable",
    "wheel four all direct belt year years month months week weeks day days hour hours minute",
    "minutes min mins mile miles block blocks step steps time times percent dollar dollars",
    "buck bucks star stars gen generation the a an of on in at to for from with and or but my",
    "your our his her their this that it is are off down up out per over under into through",
    "near some many more deals people person units items",
)
_STREET_WORD = rf"(?:(?!{_NOT_IN_STREETS}\b)[^\W\d_][\w'’.-]{{0,24}} )"
_PROPER_WORD = rf"(?:(?!(?i:{_NOT_IN_STREETS})\b)[A-ZÀ-Þ][\w'’.-]{{0,24}} )"
_HOUSE = r"(?<![\w$.,#/-])\d{1,5}[a-z]?,? "
_STREET = _any(
    "street avenue boulevard lane road crescent parkway highway ave blvd rd ln hwy pkwy cres st"
)
#: Words that are much else besides: only after proper names, or where the text speaks of a place.
_STREET_OR_ELSE = _any("Drive Dr Court Ct Way Place Pl Close Circle Cir Terrace")
_EVEN_ELSE = _any("square row trail alley mews walk gardens loop plaza heights")
_NOT_AFTER_STREET = r"(?! ?-?(?:bikes?|bicycles?|fighter|tires?|runner|glide|rage|rac\w+|legal)\b)"
_PLACE_CUE = (
    r"\b(?:address(?: is)?:?|live (?:at|on)|home is|house is|pick ?(?:it |that )?up (?:at|from)"
    r"|come (?:by|to)|meet (?:me |you )?at|drop (?:it )?off at)"
)
_STATE = _any(
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM",
    "NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC",
)
_LINK_WORD = r"(?:(?:della|dell['’]|del|des|du|de|di|da|do|d['’]|la|las|los|l['’]) ?)"
_NO_STREET = r"(?!(?:Bluetooth|USB|HDMI|Wi-?Fi|WLAN|NFC|GPS|App|USPS|UPS|FedEx|DHL)\b)"
ADDRESSES = (
    re.compile(rf"{_HOUSE}{_STREET_WORD}{{1,4}}{_STREET}\b{_NOT_AFTER_STREET}", _I),
    re.compile(rf"{_HOUSE}{_PROPER_WORD}{{1,3}}{_STREET_OR_ELSE}\b"),
    re.compile(
        rf"{_PLACE_CUE} {_HOUSE}{_STREET_WORD}{{1,3}}"
        rf"(?:{_STREET_OR_ELSE}|{_EVEN_ELSE})\b",
        _I,
    ),
    re.compile(
        r"\b[A-ZÄÖÜ][\w-]{0,24}(?:straße|strasse|str\.|weg|platz|gasse|allee|straat|laan|gracht"
        r"|gatan|vägen|vej) \d{1,4} ?[a-z]?\b"
    ),
    re.compile(
        rf"\b(?:[Vv]ia|[Vv]iale|[Pp]iazza|[Cc]orso|[Rr]ue|[Cc]alle|[Aa]venida|[Rr]ua|[Pp]aseo) "
        rf"{_LINK_WORD}{{0,2}}{_NO_STREET}[A-ZÀ-Þ][\w'’-]{{0,24}}"
        r"(?: [A-ZÀ-Þ][\w'’-]{0,24}){0,2},? (?:n[°º.] ?)?\d{1,4}\b"
    ),
    re.compile(
        rf"{_HOUSE}(?:bis |ter )?(?:rue|avenue|boulevard|place|chemin|allée|impasse|quai) "
        rf"{_LINK_WORD}{{1,2}}[\w'’-]{{2,24}}",
        _I,
    ),
    re.compile(r"\b(?:P\. ?O\. ?|PO |Post Office )Box #?\d{1,6}\b|\bPostfach \d", _I),
    re.compile(r"\b(?:apt|apartment)\.? ?#?\d{1,4}[a-z]?\b", _I),
    re.compile(rf", ?{_STATE} \d{{5}}(?:-\d{{4}})?\b"),
    # Great Britain's postcodes; "S8 1TB" is a telephone.
    re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? (?!\d(?:TB|GB|XL|PK|HZ|LB)\b)\d[ABD-HJLNP-UW-Z]{2}\b"),
)

# Places on the map and in a network.

_MINUTES = r"(?: ?\d{1,2}(?:\.\d{1,6})? ?['’′](?: ?\d{1,2}(?:\.\d{1,4})? ?[\"”″])?)?"
_DEGREES = rf"\d{{1,3}}(?:\.\d{{1,8}})? ?°{_MINUTES}"
COORDINATES = (
    re.compile(r"(?<![\w.])-?\d{1,3}\.\d{4,8}\s?,\s?-?\d{1,3}\.\d{4,8}\b"),
    re.compile(rf"(?<![\w.]){_DEGREES} ?[NS],? {{0,2}}{_DEGREES} ?[EWO]\b"),
    re.compile(r"\blat(?:itude)?\b[^\d\n]{0,6}\d{1,2}\.\d{2,8}\b", _I),
)
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
NETWORK_ADDRESSES = (
    re.compile(
        rf"(?<![\w.-])(?<!version )(?<!firmware ){_OCTET}(?:\.{_OCTET}){{3}}(?![\w-]|\.\d)", _I
    ),
    re.compile(r"(?<![\w:])(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}(?![\w:])", _I),
    re.compile(
        r"(?<![\w:])(?:[0-9a-f]{1,4}:){2,6}:(?:[0-9a-f]{1,4}:){0,4}[0-9a-f]{1,4}(?![\w:])", _I
    ),
    # A device's own address.
    re.compile(r"(?<![\w:-])[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}(?![\w:-])", _I),
)
#: For documentation (RFC 5737, RFC 3849, RFC 7042), and those that every home and machine has.
RESERVED_NETWORK = re.compile(
    r"(?:192\.0\.2|198\.51\.100|203\.0\.113|127(?:\.\d+)?|10(?:\.\d+)?|192\.168)\."
    r"|2001:0?db8:|00[:-]00[:-]5e[:-]00[:-]53[:-]",
    _I,
)
WEB_ADDRESS = re.compile(
    r"(?:\bhttps?://|\bwww\.)(?P<domain>[\w-]{1,63}(?:\.[\w-]{1,63}){0,5})[\w/?=&%.#-]{0,80}", _I
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY_AND_YEAR = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH},? |{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? "
    r"|\d{1,2}[./-]\d{1,2}[./-])(?:19|20)?\d\d|(?:19|20)\d\d-\d\d-\d\d"
)
BIRTH_DATES = (
    re.compile(
        rf"\b(?:born|birthday|birth ?date|date of birth|d\.?o\.?b\.?)\b[^\d\n]{{0,20}}?"
        rf"(?:{_DAY_AND_YEAR})\b",
        _I,
    ),
)

# Handles: a name on another platform. Speaking of such a platform is no personal data.

_PLATFORM = _any(
    "venmo cash\\s?app paypal zelle whats\\s?app telegram instagram insta snapchat snap facebook",
    "discord wechat skype tiktok twitter kik",
)
_PROFILE_SITE = _any(
    "t\\.me wa\\.me paypal\\.me cash\\.app venmo\\.com instagram\\.com facebook\\.com fb\\.com",
    "fb\\.me x\\.com twitter\\.com tiktok\\.com discord\\.gg linkedin\\.com/in snapchat\\.com",
)
HANDLES = (
    re.compile(r"(?<![\w@.])@[A-Za-z_][\w.]{1,29}"),
    re.compile(rf"\b{_PROFILE_SITE}/[\w.@+/-]{{2,60}}", _I),
    re.compile(
        rf"\b{_PLATFORM}(?: (?:me|id|handle|name|user|username|account|tag|is|at|on|under|as|to))"
        r"{0,4} ?[:=@-]{0,2} ?(?=[A-Za-z][\w-]{0,29}[\d_.]\w)[A-Za-z][\w.-]{2,29}\w",
        _I,
    ),
    re.compile(rf"\b{_PLATFORM}[^.!?\n]{{0,12}}[:=] ?[A-Za-z][\w.]{{2,30}}", _I),
    re.compile(r"(?<![\w$])\$[A-Za-z][\w-]{2,20}\b"),
    re.compile(r"\bmy (?:handle|user ?name|user id|screen name)(?: is|:) ?\S{3,40}", _I),
)
