import { inflateRawSync, inflateSync } from 'node:zlib'

/** The files of a zip archive, as text. */
function unzip(archive: Buffer): Map<string, string> {
  const end = archive.lastIndexOf(Buffer.from('PK\u0005\u0006'))
  const found = new Map<string, string>()
  let at = archive.readUInt32LE(end + 16)
  for (let n = archive.readUInt16LE(end + 10); n > 0; n--) {
    const [size, name, extra, comment] = [
      archive.readUInt32LE(at + 20),
      archive.readUInt16LE(at + 28),
      archive.readUInt16LE(at + 30),
      archive.readUInt16LE(at + 32),
    ]
    const local = archive.readUInt32LE(at + 42)
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    const data = inflateRawSync(archive.subarray(start, start + size))
    found.set(archive.toString('utf8', at + 46, at + 46 + name), data.toString())
    at += 46 + name + extra + comment
  }
  return found
}

const plain = (xml: string) =>
  xml.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** A cell of a workbook as it is stored, with the format in which it is shown. */
export type WorkbookCell = { value: string | number; format: string | undefined }
export type Workbook = {
  /** Rows of cells by the names of the sheets; without a value there is no cell. */
  sheets: Record<string, (WorkbookCell | undefined)[][]>
  /** What stands behind it. */
  files: ReadonlyMap<string, string>
}

/** What a workbook says, read from its XML and not by the library that wrote it. */
export function readWorkbook(archive: Buffer): Workbook {
  const files = unzip(archive)
  const file = (name: string) => files.get(name) ?? ''
  const strings = [...file('xl/sharedStrings.xml').matchAll(/<si><t[^>]*>([^]*?)<\/t><\/si>/g)].map(
    ([, text = '']) => plain(text),
  )
  const styles = file('xl/styles.xml')
  const codes = new Map(
    [...styles.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(
      ([, id = '', code = '']) => [id, plain(code)] as const,
    ),
  )
  const shown = [...(/<cellXfs[^]*<\/cellXfs>/.exec(styles)?.[0] ?? '').matchAll(/<xf ([^>]*)>/g)].map(
    ([, attributes = '']) => codes.get(/numFmtId="(\d+)"/.exec(attributes)?.[1] ?? ''),
  )
  const names = [...file('xl/workbook.xml').matchAll(/<sheet [^>]*name="([^"]*)"/g)]
  const sheets = names.map(([, name = ''], n) => {
    const rows = [...file(`xl/worksheets/sheet${n + 1}.xml`).matchAll(/<row [^>]*?(?:\/>|>([^]*?)<\/row>)/g)]
    return [plain(name), rows.map(([, cells = '']) => cellsOf(cells))] as const
  })
  return { sheets: Object.fromEntries(sheets), files }

  function cellsOf(xml: string): (WorkbookCell | undefined)[] {
    const row: (WorkbookCell | undefined)[] = []
    for (const [, column = '', tail = '', value] of xml.matchAll(
      /<c r="([A-Z]+)\d+"([^>]*?)(?:\/>|>(?:<v>([^<]*)<\/v>)?<\/c>)/g,
    )) {
      const at = Array.from(column).reduce((sum, letter) => sum * 26 + (letter.codePointAt(0) ?? 0) - 64, 0)
      const format = shown[Number(/s="(\d+)"/.exec(tail)?.[1] ?? -1)]
      if (value !== undefined)
        row[at - 1] = {
          value: tail.includes('t="s"') ? (strings[Number(value)] ?? '') : Number(value),
          format,
        }
    }
    return row
  }
}

/** The words of a PDF in the order in which they were written, as whoever copies them gets them. */
export function readPdf(file: Buffer): { pages: string[]; source: string } {
  const source = file.toString('latin1')
  const objects = new Map(
    [...source.matchAll(/(?:^|\n)(\d+) 0 obj\n([^]*?)\nendobj/g)].map(([, id = '', body = '']) => [id, body]),
  )
  const referred = (body: string, key: string) =>
    objects.get(new RegExp(String.raw`/${key} (\d+) 0 R`).exec(body)?.[1] ?? '') ?? ''
  const pages = [...objects.values()].filter((body) => /\/Type \/Page\n/.test(body))
  return { source, pages: pages.map(textOf) }

  function textOf(page: string): string {
    const resources = referred(page, 'Resources') || page
    const fonts = new Map(
      [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map(([, name = '', id = '']) => [
        name,
        lettersOf(streamOf(referred(objects.get(id) ?? '', 'ToUnicode'))),
      ]),
    )
    let text = ''
    let font: ReadonlyMap<string, string> | undefined
    for (const [, actual, name, shown] of streamOf(referred(page, 'Contents')).matchAll(
      /\/ActualText \(((?:\\[^]|[^\\)])*)\)[^]*?EMC|\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g,
    )) {
      if (actual !== undefined) text += `${unescaped(actual)}\n`
      if (name !== undefined) font = fonts.get(name)
      const codes = (shown ?? '').replaceAll(/[^<>\da-f]|>[^<]*</g, '').match(/[\da-f]{4}/g) ?? []
      text += codes.map((code) => font?.get(code) ?? '?').join('') + (shown === undefined ? '' : '\n')
    }
    return text
  }
}

/** A string of a PDF in UTF-16, behind its two first bytes. */
function unescaped(text: string): string {
  const signs: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
  const plainText = text.replaceAll(/\\([^])/g, (_all, sign: string) => signs[sign] ?? sign)
  return Buffer.from(plainText, 'latin1').swap16().toString('utf16le').slice(1)
}

function streamOf(body: string): string {
  const start = body.indexOf('stream\n') + 'stream\n'.length
  const data = Buffer.from(body.slice(start, body.lastIndexOf('\nendstream')), 'latin1')
  return body.includes('/FlateDecode') ? inflateSync(data).toString('latin1') : data.toString('latin1')
}

/** The letters behind the codes of a font. */
function lettersOf(map: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [, from = '', , list = ''] of map.matchAll(/<([\da-f]+)> <([\da-f]+)> \[([^\]]*)\]/g)) {
    for (const [n, [, code = '']] of [...list.matchAll(/<([\da-f ]*)>/g)].entries()) {
      const letters = (code.match(/[\da-f]{4}/g) ?? []).map((unit) =>
        String.fromCodePoint(Number.parseInt(unit, 16)),
      )
      found.set((Number.parseInt(from, 16) + n).toString(16).padStart(4, '0'), letters.join(''))
    }
  }
  return found
}
