/** A 4:2:0 picture with a plane each for brightness and the two colour differences, one behind the other. */
export type Canvas = { width: number; height: number; data: Buffer }

/** Brightness and colour differences, 0 to 255. */
export type Colour = [number, number, number]

/** Signed distance to the shape's edge in pixels, negative inside, and the box outside of which it is positive. */
export type Shape = { box: [number, number, number, number]; distance: (x: number, y: number) => number }

export function createCanvas(width: number, height: number): Canvas {
  return { width, height, data: Buffer.alloc((width * height * 3) / 2, 128) }
}

/** `#rrggbb` in the studio range of BT.601, which small pictures are taken for. */
export function colour(hex: string): Colour {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return [
    16 + 0.257 * r + 0.504 * g + 0.098 * b,
    128 - 0.148 * r - 0.291 * g + 0.439 * b,
    128 + 0.439 * r - 0.368 * g - 0.071 * b,
  ]
}

export function mix(a: Colour, b: Colour, share: number): Colour {
  const at = (index: 0 | 1 | 2) => a[index] + (b[index] - a[index]) * share
  return [at(0), at(1), at(2)]
}

/** Fills the canvas with a diagonal run of colour. */
export function gradient(canvas: Canvas, from: Colour, to: Colour) {
  const { width, height } = canvas
  for (const { channel, offset, step } of planes(canvas)) {
    const [start, span] = [from[channel], to[channel] - from[channel]]
    for (let row = 0; row < height / step; row += 1) {
      for (let column = 0; column < width / step; column += 1) {
        const share = ((column * step) / width + (row * step) / height) / 2
        canvas.data[offset + (row * width) / step + column] = start + span * share + 0.5
      }
    }
  }
}

/** Draws the shape with soft edges. */
export function fill(canvas: Canvas, shape: Shape, { ink, alpha = 1 }: { ink: Colour; alpha?: number }) {
  const { width, height, data } = canvas
  const { box, distance } = shape
  for (const { channel, offset, step } of planes(canvas)) {
    const [left, top] = [
      Math.max(0, Math.floor((box[0] - 1) / step)),
      Math.max(0, Math.floor((box[1] - 1) / step)),
    ]
    const right = Math.min(width / step, Math.ceil((box[2] + 1) / step))
    const bottom = Math.min(height / step, Math.ceil((box[3] + 1) / step))
    for (let row = top; row < bottom; row += 1) {
      const line = offset + (row * width) / step
      let column = left
      while (column < right) {
        const far = distance((column + 0.5) * step, (row + 0.5) * step)
        // So far from the edge, the pixels on the way to it are all alike.
        const alike = Math.max(1, Math.floor((Math.abs(far) - 0.5) / step))
        const end = Math.min(right, column + alike)
        const share = alpha * Math.min(1, 0.5 - far)
        if (share > 0) blend(data, { start: line + column, end: line + end, value: ink[channel], share })
        column = end
      }
    }
  }
}

type Run = { start: number; end: number; value: number; share: number }

function blend(data: Buffer, { start, end, value, share }: Run) {
  for (let at = start; at < end; at += 1) {
    const before = data[at] ?? 0
    data[at] = before + (value - before) * share + 0.5
  }
}

function planes({ width, height }: Canvas) {
  const size = width * height
  return [
    { channel: 0, offset: 0, step: 1 },
    { channel: 1, offset: size, step: 2 },
    { channel: 2, offset: (size * 5) / 4, step: 2 },
  ] as const
}

/** Math.hypot is many times slower, and this runs for every pixel of an edge. */
function length(x: number, y: number): number {
  return Math.sqrt(x * x + y * y)
}

export function disc(x: number, y: number, radius: number): Shape {
  return {
    box: [x - radius, y - radius, x + radius, y + radius],
    distance: (px, py) => length(px - x, py - y) - radius,
  }
}

/** A circle drawn with a pen of the given width. */
export function ring({ x, y, radius, pen }: { x: number; y: number; radius: number; pen: number }): Shape {
  const reach = radius + pen
  return {
    box: [x - reach, y - reach, x + reach, y + reach],
    distance: (px, py) => Math.abs(length(px - x, py - y) - radius) - pen / 2,
  }
}

/** A rectangle with round corners. */
export function card(box: Shape['box'], corner: number): Shape {
  const [x, y, halfWidth, halfHeight] = [
    (box[0] + box[2]) / 2,
    (box[1] + box[3]) / 2,
    (box[2] - box[0]) / 2 - corner,
    (box[3] - box[1]) / 2 - corner,
  ]
  return {
    box,
    distance: (px, py) => {
      const [dx, dy] = [Math.abs(px - x) - halfWidth, Math.abs(py - y) - halfHeight]
      return length(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - corner
    },
  }
}

export type Point = [number, number]

/** A straight stroke with round ends. */
export function stroke([ax, ay]: Point, [bx, by]: Point, pen: number): Shape {
  const half = pen / 2
  const [dx, dy] = [bx - ax, by - ay]
  const square = dx * dx + dy * dy || 1
  return {
    box: [Math.min(ax, bx) - half, Math.min(ay, by) - half, Math.max(ax, bx) + half, Math.max(ay, by) + half],
    distance: (px, py) => {
      const share = Math.max(0, Math.min(1, ((px - ax) * dx + (py - ay) * dy) / square))
      return length(px - ax - share * dx, py - ay - share * dy) - half
    },
  }
}
