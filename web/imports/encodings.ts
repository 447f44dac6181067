import { cut } from '#contract/platform/text/text.ts'

/** Encodings without a mark, by what they are called, in the order in which they are offered where nothing tells them apart. */
const names = {
  'windows-1252': 'Western European',
  'windows-1250': 'Central European',
  'windows-1251': 'Cyrillic',
  'windows-1253': 'Greek',
  'windows-1254': 'Turkish',
  'windows-1255': 'Hebrew',
  'windows-1256': 'Arabic',
  'windows-1257': 'Baltic',
  'windows-1258': 'Vietnamese',
  'windows-874': 'Thai',
  shift_jis: 'Japanese',
  'euc-jp': 'Japanese (EUC)',
  gb18030: 'Chinese, simplified',
  big5: 'Chinese, traditional',
  'euc-kr': 'Korean',
  macintosh: 'Western European (Mac)',
  'x-mac-cyrillic': 'Cyrillic (Mac)',
  'iso-8859-2': 'Central European (ISO)',
  'iso-8859-7': 'Greek (ISO)',
  'koi8-u': 'Cyrillic (KOI8)',
  ibm866: 'Cyrillic (DOS)',
  cp850: 'Western European (DOS)',
  cp437: 'American (DOS)',
  cp852: 'Central European (DOS)',
  cp857: 'Turkish (DOS)',
  cp737: 'Greek (DOS)',
  'utf-8': 'Unicode with damaged letters',
} as const
export type Encoding = keyof typeof names

/** A way to read a file, with lines of it by which people see whether it is the right one. */
export type Reading = { encoding: Encoding; name: string; sample: readonly string[] }

/** What a file says; or, where its bytes do not tell in which encoding that is, every way to read it, the likeliest first; none where it is no text. */
export function readBytes(bytes: Uint8Array): { text: string } | { readings: Reading[] } {
  const known = knownEncoding(bytes)
  if (known) return { text: new TextDecoder(known).decode(bytes) }
  if (bytes.includes(0)) return { readings: [] }
  return { readings: readingsOf(bytes) }
}

/** The upper half of code pages of DOS, in which spreadsheets still save "CSV (MS-DOS)", and which browsers do not know. */
const dosPages = {
  cp437:
    /* no text */ 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00A0',
  cp850:
    /* no text */ 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00AD±‗¾¶§÷¸°¨·¹³²■\u00A0',
  cp852:
    /* no text */ 'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00AD˝˛ˇ˘§÷¸°¨˙űŘř■\u00A0',
  cp857:
    /* no text */ 'ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\uFFFDÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ\uFFFD×ÚÛÙìÿ¯´\u00AD±\uFFFD¾¶§÷¸°¨·¹³²■\u00A0',
  cp737:
    /* no text */ 'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u00A0',
} as const

/** The text of a file in an encoding that somebody has chosen. */
export function decode(bytes: Uint8Array, encoding: Encoding): string {
  if (!isDos(encoding)) return new TextDecoder(encoding).decode(bytes)
  const upper = dosPages[encoding]
  const latin = new TextDecoder('iso-8859-1').decode(bytes.map((byte) => (byte < 128 ? byte : 0)))
  let at = 0
  return latin.replaceAll('\0', () => {
    while ((bytes[at] ?? 128) < 128) at += 1
    const letter = upper[(bytes[at] ?? 128) - 128] ?? ''
    at += 1
    return letter
  })
}

const isDos = (encoding: Encoding): encoding is keyof typeof dosPages => Object.hasOwn(dosPages, encoding)

/** What the bytes themselves say: a mark, the zeros of UTF-16, the sequences of UTF-8 and of Japanese mails. */
function knownEncoding(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  const order = unmarkedOrder(bytes)
  if (order) return order
  if (!isIn(bytes, 'utf-8')) return undefined
  return isEscaped(bytes) ? 'iso-2022-jp' : 'utf-8'
}

/** Of texts only UTF-16 has zeros. Read in the right order, what divides cells and rows is what it is in every script. */
function unmarkedOrder(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const start = bytes.subarray(0, 10_000)
  if (!start.includes(0)) return undefined
  const plain = (order: string) => new TextDecoder(order).decode(start).match(/[\t\r\n -~]/g)?.length ?? 0
  const [little, big] = [plain('utf-16le'), plain('utf-16be')]
  // Pictures and programs have zeros too, and next to nothing of that.
  if (Math.max(little, big) * 50 < start.length) return undefined
  return little >= big ? 'utf-16le' : 'utf-16be'
}

/** ESC and what stands behind it where Japanese letters begin. */
function isEscaped(bytes: Uint8Array): boolean {
  const at = bytes.indexOf(0x1b)
  return at >= 0 && (bytes[at + 1] === 0x24 || bytes[at + 1] === 0x28)
}

function isIn(bytes: Uint8Array, encoding: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const severalBytes: ReadonlySet<Encoding> = new Set(['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'])

/** Each way once: two that give one text are one. */
function readingsOf(bytes: Uint8Array): Reading[] {
  const upper = Uint8Array.from(new Set(bytes.filter((byte) => byte > 127)))
  const lines = tellingLines(bytes)
  const possible = Object.keys(names).filter((one): one is Encoding =>
    isPossible(bytes, upper, one as Encoding),
  )
  const byText = new Map(possible.toReversed().map((one) => [isAlone(one) ? one : decode(upper, one), one]))
  const scored = possible.flatMap((encoding) => {
    if (![...byText.values()].includes(encoding)) return []
    const sample = lines.map((line) => cut(decode(line, encoding).trim(), 120))
    const score = encoding === 'utf-8' ? Infinity : scoreOf(sample.join('\n'))
    return [{ score, reading: { encoding, name: names[encoding], sample: sample.slice(0, shownLines) } }]
  })
  return scored.toSorted((one, other) => other.score - one.score).map(({ reading }) => reading)
}

const shownLines = 3

/** Of more than one byte for a letter, so that no other gives the same text. */
const isAlone = (encoding: Encoding) => severalBytes.has(encoding) || encoding === 'utf-8'

function isPossible(bytes: Uint8Array, upper: Uint8Array, encoding: Encoding): boolean {
  if (encoding === 'utf-8') return isMostly(bytes)
  return severalBytes.has(encoding) ? isIn(bytes, encoding) : !/[\p{Cc}\uFFFD]/u.test(decode(upper, encoding))
}

/** Text of UTF-8 of which something was cut or overwritten. */
function isMostly(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes.subarray(0, 1_000_000))
  const damaged = text.match(/\uFFFD/g)?.length ?? 0
  return (text.match(/[^\p{ASCII}\uFFFD]/gu)?.length ?? 0) > damaged * 2
}

const most = 40

/** Lines with bytes in which encodings differ, first those with bytes that no line before them has. */
function tellingLines(bytes: Uint8Array): Uint8Array[] {
  const known = new Set<number>()
  const fresh: Uint8Array[] = []
  const others: Uint8Array[] = []
  for (let from = 0; from < bytes.length && others.length < most * 50 && fresh.length < most;) {
    const end = bytes.indexOf(0x0a, from)
    const line = bytes.subarray(from, end < 0 ? bytes.length : end)
    from += line.length + 1
    const upper = line.filter((byte) => byte > 127)
    if (upper.length === 0) continue
    const isFresh = upper.some((byte) => !known.has(byte))
    for (const byte of upper) known.add(byte)
    if (isFresh) fresh.push(line)
    else others.push(line)
  }
  return [...fresh, ...others].slice(0, most)
}

const scripts = [
  /\p{sc=Latin}/u,
  /\p{sc=Greek}/u,
  /\p{sc=Cyrillic}/u,
  /\p{sc=Hebrew}/u,
  /\p{sc=Arabic}/u,
  /\p{sc=Thai}/u,
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々]/u,
  /\p{sc=Hangul}/u,
]
const usual = /[äöüÄÖÜßéèêëàâçîïôûùáíóúñãõåøæÅØÆłśźżąęćńŁŚŻőűřščžýěůŘŠČŽğışİŞāēīūģķļņ]/gu
const kana = /[\u3041-\u3096\u30A1-\u30FA]/gu

/** How much a text looks like names of people: letters, one script in a word, and capitals at its beginning. */
function scoreOf(text: string): number {
  const words = text.match(/[\p{L}\p{M}]*[^\p{ASCII}][\p{L}\p{M}]*/gu) ?? []
  const points = words.map((word) => {
    const kinds = scripts.filter((script) => script.test(word)).length
    const odd = word.match(/[^\p{L}\p{M}\p{Zs}\p{Pd}\p{Pi}\p{Pf}\p{Sc}]/gu)?.length ?? 0
    const inside = word.match(/\p{Ll}\p{Lu}|^\p{Lu}{2,}\p{Ll}|[\uFF61-\uFF9F]|ς\p{L}/gu)?.length ?? 0
    // A Latin word is made of plain letters mostly.
    const strange = (word.match(/[^\p{ASCII}]/gu)?.length ?? 0) * 2 > word.length + 1
    const isLatin = /\p{sc=Latin}/u.test(word)
    const fits = kinds !== 1 ? 0 : isLatin && strange ? -2 : 1
    return fits - 3 * Math.max(0, kinds - 1) - 3 * odd - 3 * inside
  })
  const good = (text.match(usual)?.length ?? 0) / 2 + (text.match(kana)?.length ?? 0)
  return (points.reduce((sum, one) => sum + one, 0) + good) / Math.max(1, words.length)
}
