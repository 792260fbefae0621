/**
 * The labels that `TextDecoder` supports, except spellings that `charsetOf` replaces. It throws for others, which takes
 * at least 20 µs, and a mail can contain thousands.
 */
export const STANDARD_LABELS: ReadonlySet<string> = new Set(
  [
    'iso-8859-2 csisolatin2 iso-ir-101 l2 iso-8859-3 csisolatin3 iso-ir-109 l3 iso-8859-4 csisolatin4 iso-ir-110 l4',
    'iso-8859-5 csisolatincyrillic cyrillic iso-ir-144 iso-8859-6 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic',
    'ecma-114 iso-ir-127 iso-8859-7 csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 sun_eu_greek iso-8859-8',
    'csiso88598e csisolatinhebrew iso-ir-138 visual csiso88598i logical iso-8859-10 csisolatin6 iso-ir-157 l6 iso-8859-11',
    'iso-8859-13 iso-8859-14 iso-8859-15 csisolatin9 l9 iso-8859-16 iso-8859-9 csisolatin5 iso-ir-148 l5',
    'windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258',
    'csisolatin1 iso-ir-100 l1 ibm866 csibm866 cskoi8r koi8-r koi8_r koi8-u windows-874 tis-620 dos-874',
    'macintosh csmacintosh mac x-mac-roman x-mac-cyrillic x-mac-ukrainian x-user-defined',
    'gb18030 csgb2312 csiso58gb231280 gb_2312 iso-ir-58 big5 big5-hkscs cn-big5 csbig5',
    'euc-jp cseucpkdfmtjapanese shift_jis csshiftjis ms932 ms_kanji sjis windows-31j',
    'euc-kr cseuckr csksc56011987 iso-ir-149',
  ].flatMap((labels) => labels.split(' ')),
)
