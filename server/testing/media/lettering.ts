import { fill, stroke, type Canvas, type Colour, type Point } from './canvas.ts'

/**
 * Letters as strokes on a grid of 5 x 7: each pair of digits is a point (across, down), a space lifts the pen.
 * A machine without any font can write with them.
 */
const GLYPHS: Record<string, string> = {
  A: '0602204246 0444',
  B: '06003041423303 3344453606',
  C: '4130100105163645',
  D: '06003041453606',
  E: '40000646 0333',
  F: '400006 0333',
  G: '41301001051636454323',
  H: '0006 4046 0343',
  I: '0006',
  J: '4045361605',
  K: '0006 400346',
  L: '000646',
  M: '0600234046',
  N: '06004640',
  O: '103041453616050110',
  P: '06003041423303',
  Q: '103041453616050110 2446',
  R: '06003041423303 2346',
  S: '413010010213334445361605',
  T: '0040 2026',
  U: '000516364540',
  V: '002640',
  W: '0016233640',
  X: '0046 4006',
  Y: '002340 2326',
  Z: '00400646',
  0: '103041453616050110',
  1: '011016',
  2: '01103041420646',
  3: '011030414233 1333444536 1605 1636',
  4: '30044434 3036',
  5: '400003334445361605',
  6: '4130100105163645443303',
  7: '004016',
  8: '103041423313020110 133304 3344453616050413',
  9: '0516364541301001021343',
  ':': '0202 0505',
  '-': '0343',
  '.': '0606',
  '/': '0640',
  '+': '0343 2125',
  '&': '4602011021220405163643',
}
const SPACE = 3
const GAP = 1.9

type Placed = { strokes: Point[][]; width: number }

function glyph(letter: string): Placed {
  const source = GLYPHS[letter]
  if (!source) return { strokes: [], width: SPACE }
  const strokes = source.split(' ').map((line) => {
    const pairs = line.match(/../g) ?? []
    return pairs.map((pair): Point => [Number(pair[0]), Number(pair[1])])
  })
  return { strokes, width: Math.max(...strokes.flat().map(([across]) => across)) }
}

export type Lettering = {
  text: string
  /** Left (or, with `align: 'end'`, right) end of the line and its top. */
  at: Point
  /** Height of a capital in pixels. */
  size: number
  ink: Colour
  align?: 'start' | 'end'
}

/** Width in pixels of the line in capitals. */
export function lineWidth(text: string, size: number): number {
  const units = text
    .toUpperCase()
    .split('')
    .reduce((sum, letter) => sum + glyph(letter).width + GAP, -GAP)
  return (Math.max(0, units) * size) / 6
}

/** Writes one line in capitals. */
export function write(canvas: Canvas, { text, at, size, ink, align = 'start' }: Lettering) {
  const unit = size / 6
  let left = align === 'start' ? at[0] : at[0] - lineWidth(text, size)
  for (const letter of text.toUpperCase()) {
    const { strokes, width } = glyph(letter)
    for (const points of strokes) {
      for (const [index, point] of points.slice(0, Math.max(1, points.length - 1)).entries()) {
        const place = ([across, down]: Point): Point => [left + across * unit, at[1] + down * unit]
        fill(canvas, stroke(place(point), place(points[index + 1] ?? point), unit * 1.05), { ink })
      }
    }
    left += (width + GAP) * unit
  }
}

/** Breaks the text into lines of at most this width. */
export function lines(text: string, size: number, most: number): string[] {
  const found: string[] = []
  for (const word of text.split(' ')) {
    const longer = found.length > 0 ? `${found.at(-1)} ${word}` : word
    if (found.length > 0 && lineWidth(longer, size) <= most) found[found.length - 1] = longer
    else found.push(word)
  }
  return found
}
