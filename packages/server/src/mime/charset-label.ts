// The names of charsets in mail: registered names, numbers of code pages and many misspellings.

// Senders use these labels, or none, for bytes in any charset, so the bytes are checked first.
const VAGUE = new Set([
  'us-ascii',
  'ascii',
  'ansi_x3.4-1968',
  'ansi_x3.4',
  'iso646-us',
  'usascii',
  'ansi',
  '7bit',
  '8bit',
  'binary',
  'unknown',
  'unknown-8bit',
  'x-unknown',
  'default',
  'none',
])

// Longer than any real label.
const LABEL_CHARS_MAX = 40

// Names that neither the Encoding Standard nor a rule below covers.
const ALIASES = new Map([
  // Their numbers differ from those of the parts of ISO 8859.
  ['latin2', 'iso-8859-2'],
  ['latin-2', 'iso-8859-2'],
  ['latin3', 'iso-8859-3'],
  ['latin-3', 'iso-8859-3'],
  ['latin4', 'iso-8859-4'],
  ['latin-4', 'iso-8859-4'],
  ['latin5', 'windows-1254'],
  ['latin-5', 'windows-1254'],
  ['latin6', 'iso-8859-10'],
  ['latin-6', 'iso-8859-10'],
  ['latin7', 'iso-8859-13'],
  ['latin-7', 'iso-8859-13'],
  ['latin8', 'iso-8859-14'],
  ['latin-8', 'iso-8859-14'],
  ['latin9', 'iso-8859-15'],
  ['latin-9', 'iso-8859-15'],
  ['latin10', 'iso-8859-16'],
  ['latin-10', 'iso-8859-16'],
  ['cp949', 'windows-949'],
  ['euc-kr', 'windows-949'],
  ['ks_c_5601-1987', 'windows-949'],
  ['ks_c_5601-1989', 'windows-949'],
  ['ksc5601', 'windows-949'],
  ['ksc_5601', 'windows-949'],
  ['ks_c_5601', 'windows-949'],
  ['korean', 'windows-949'],
  ['uhc', 'windows-949'],
  ['windows-949', 'windows-949'],
  ['iso-2022-jp-1', 'iso-2022-jp'],
  ['iso-2022-jp-2', 'iso-2022-jp'],
  ['iso-2022-jp-3', 'iso-2022-jp'],
  ['iso-2022-jp-2004', 'iso-2022-jp'],
  ['iso-2022-jp-ms', 'iso-2022-jp'],
  ['iso2022-jp', 'iso-2022-jp'],
  ['iso2022jp', 'iso-2022-jp'],
  ['csiso2022jp', 'iso-2022-jp'],
  ['jis', 'iso-2022-jp'],
  ['csiso2022kr', 'iso-2022-kr'],
  ['iso2022-kr', 'iso-2022-kr'],
  ['iso2022kr', 'iso-2022-kr'],
  ['iso2022-cn', 'iso-2022-cn'],
  ['iso-2022-cn-ext', 'iso-2022-cn'],
  ['hz', 'hz-gb-2312'],
  ['shift-jis', 'shift_jis'],
  ['shiftjis', 'shift_jis'],
  ['eucjp', 'euc-jp'],
  ['eucjp-ms', 'euc-jp'],
  ['ujis', 'euc-jp'],
  ['euckr', 'windows-949'],
  // GB18030 includes its older forms, and mail often declares one and uses another.
  ['gb2312', 'gb18030'],
  ['gb_2312-80', 'gb18030'],
  ['gbk', 'gb18030'],
  ['chinese', 'gb18030'],
  ['euc-cn', 'gb18030'],
  ['euccn', 'gb18030'],
  ['x-euc-cn', 'gb18030'],
  ['hebrew', 'iso-8859-8'],
  ['tis620', 'windows-874'],
  ['thai', 'windows-874'],
  ['koi8', 'koi8-r'],
  ['koi', 'koi8-r'],
  ['koi8u', 'koi8-u'],
  ['koi8-ru', 'koi8-u'],
  ['koi8r', 'koi8-r'],
  ['macroman', 'macintosh'],
  ['mac-roman', 'macintosh'],
  ['apple-roman', 'macintosh'],
  ['mac-cyrillic', 'x-mac-cyrillic'],
  ['maccyrillic', 'x-mac-cyrillic'],
  ['x-mac-centraleurroman', 'x-mac-ce'],
  ['x-mac-centraleurope', 'x-mac-ce'],
  ['mac-centraleurope', 'x-mac-ce'],
  ['macgreek', 'x-mac-greek'],
  ['macturkish', 'x-mac-turkish'],
  ['unicode', 'utf-16'],
  ['ucs-2', 'utf-16'],
  ['ucs2', 'utf-16'],
  ['iso-10646-ucs-2', 'utf-16'],
  ['ucs-4', 'utf-32'],
  ['iso-10646-ucs-4', 'utf-32'],
])

// Windows numbers every charset, and some programs use the number as the name.
const CODE_PAGES = new Map([
  ['65000', 'utf-7'],
  ['65001', 'utf-8'],
  ['1200', 'utf-16le'],
  ['1201', 'utf-16be'],
  ['819', 'windows-1252'],
  ['858', 'cp858'],
  ['866', 'ibm866'],
  ['874', 'windows-874'],
  ['932', 'shift_jis'],
  ['943', 'shift_jis'],
  ['936', 'gb18030'],
  ['949', 'windows-949'],
  ['950', 'big5'],
  ['10000', 'macintosh'],
  ['10007', 'x-mac-cyrillic'],
  ['10029', 'x-mac-ce'],
  ['20866', 'koi8-r'],
  ['21866', 'koi8-u'],
  ['50220', 'iso-2022-jp'],
  ['50221', 'iso-2022-jp'],
  ['50222', 'iso-2022-jp'],
  ['50225', 'iso-2022-kr'],
  ['51932', 'euc-jp'],
  ['51949', 'windows-949'],
  ['52936', 'hz-gb-2312'],
  ['54936', 'gb18030'],
])

/**
 * The charset of a label, with one name for all spellings, even if it cannot be decoded. Null for a label without
 * meaning. A language after the charset (`utf-8*en`) and anything else after it is ignored.
 */
export function charsetOf(label: string): string | null {
  if (label === 'utf-8' || label === 'UTF-8') return 'utf-8'
  const name = /[a-z\d][\w.:+-]*/.exec(label.slice(0, 2 * LABEL_CHARS_MAX).toLowerCase())?.[0]
  if (name === undefined || name.length > LABEL_CHARS_MAX || VAGUE.has(name)) return null
  const spelling = name.replace(/^x-(?!mac|user)/, '')
  return ALIASES.get(spelling) ?? unicodeOf(spelling) ?? isoOf(spelling) ?? codePageOf(spelling) ?? spelling
}

function unicodeOf(name: string): string | null {
  const match = /^(?:unicode-\d-\d-|cs?unicode\d\d)?utf[-_]?(7|8|16|32)[-_]?([bl]e)?/.exec(name)
  return match ? `utf-${match[1]}${match[2] ?? ''}` : null
}

function isoOf(name: string): string | null {
  const number = /^(?:iso[-_]?)?8859[-_]?(\d{1,2})(?!\d)/.exec(name)?.[1] ?? /^latin-?1$/.exec(name)?.[0].at(-1)
  if (number === undefined) return null
  // Both are subsets of windows-1252, which is what senders actually use under these names.
  return Number(number) === 1 ? 'windows-1252' : `iso-8859-${Number(number)}`
}

function codePageOf(name: string): string | null {
  const number = /^(?:cp|win|windows|ms|dos|msdos|ibm|oem|pc|codepage|csibm|cspc)?[-_]?(\d{3,5})$/.exec(name)?.[1]
  if (number === undefined) return null
  if (/^125\d$/.test(number)) return `windows-${number}`
  // The numbers of the parts of ISO 8859 in Windows.
  if (/^2859[1-9]$|^2860[35]$/.test(number)) return isoOf(`8859-${Number(number) - 28590}`)
  return CODE_PAGES.get(number) ?? `cp${number}`
}
