import { card, disc, fill, ring, stroke, type Canvas, type Colour, type Point } from './canvas.ts'

/** A moving drawing: where it stands, how far the clip is (0 to 1), seconds since its start. */
export type Scene = {
  canvas: Canvas
  x: number
  y: number
  /** Half the side of the square it may use. */
  size: number
  share: number
  seconds: number
  inks: [Colour, Colour, Colour]
}

export type Motif = (scene: Scene) => void

const times = (count: number) => Array.from({ length: count }, (_, index) => index)
const wave = (value: number) => 0.5 + 0.5 * Math.sin(value)
const clamp = (value: number) => Math.max(0, Math.min(1, value))
const polar = ({ x, y }: Scene, angle: number, radius: number): Point => [
  x + Math.cos(angle) * radius,
  y + Math.sin(angle) * radius,
]

const orbits: Motif = (scene) => {
  const { canvas, x, y, size, seconds, inks } = scene
  for (const index of times(3)) {
    const radius = size * (0.42 + 0.27 * index)
    fill(canvas, ring({ x, y, radius, pen: size / 60 }), { ink: inks[2], alpha: 0.5 })
    const [px, py] = polar(scene, seconds * (0.9 - 0.24 * index) + index * 2, radius)
    fill(canvas, disc(px, py, size * (0.09 + 0.03 * index)), { ink: inks[index % 2 ? 1 : 0] })
  }
  fill(canvas, disc(x, y, size * 0.24), { ink: inks[2] })
}

const bars: Motif = ({ canvas, x, y, size, share, seconds, inks }) => {
  for (const index of times(6)) {
    const height =
      size *
      (0.3 + 1.4 * clamp(share * 1.6 - index * 0.08) * (0.45 + 0.55 * wave(seconds * 0.8 + index * 1.7)))
    const left = x - size + index * size * 0.34
    fill(canvas, card([left, y + size * 0.9 - height, left + size * 0.26, y + size * 0.9], size * 0.05), {
      ink: inks[index % 3 === 1 ? 1 : 0],
    })
  }
  fill(canvas, stroke([x - size * 1.05, y + size * 0.95], [x + size * 1.05, y + size * 0.95], size / 40), {
    ink: inks[2],
  })
}

const waves: Motif = ({ canvas, x, y, size, seconds, inks }) => {
  for (const row of times(5)) {
    for (const column of times(9)) {
      const lift = Math.sin(seconds * 1.6 + column * 0.7 + row * 0.9)
      const place: Point = [x + (column - 4) * size * 0.25, y + (row - 2) * size * 0.36 + lift * size * 0.13]
      fill(canvas, disc(...place, size * (0.06 + 0.035 * wave(seconds + column + row))), {
        ink: inks[row % 3] ?? inks[0],
      })
    }
  }
}

const gear: Motif = (scene) => {
  const { canvas, x, y, size, seconds, inks } = scene
  for (const index of times(12)) {
    const angle = seconds * 0.5 + (index * Math.PI) / 6
    fill(canvas, stroke(polar(scene, angle, size * 0.6), polar(scene, angle, size * 0.86), size * 0.16), {
      ink: inks[0],
    })
  }
  fill(canvas, ring({ x, y, radius: size * 0.56, pen: size * 0.26 }), { ink: inks[0] })
  const [px, py] = polar(scene, -seconds * 0.9, size * 0.2)
  fill(canvas, disc(px, py, size * 0.13), { ink: inks[1] })
}

const stairs: Motif = ({ canvas, x, y, size, share, seconds, inks }) => {
  for (const index of times(6)) {
    const left = x - size + index * size * 0.34
    const top = y + size * 0.75 - index * size * 0.25
    fill(canvas, card([left, top, left + size * 0.36, y + size * 0.95], size * 0.03), {
      ink: inks[index / 6 < share ? 0 : 2],
      alpha: index / 6 < share ? 1 : 0.3,
    })
  }
  const step = share * 5.2
  const hop = Math.abs(Math.sin(seconds * 3)) * size * 0.12
  fill(
    canvas,
    disc(x - size * 0.82 + step * size * 0.34, y + size * 0.6 - step * size * 0.25 - hop, size * 0.13),
    { ink: inks[1] },
  )
}

const pulse: Motif = ({ canvas, x, y, size, seconds, inks }) => {
  for (const index of times(4)) {
    const phase = (seconds * 0.35 + index / 4) % 1
    fill(canvas, ring({ x, y, radius: size * (0.25 + 0.75 * phase), pen: size * 0.09 }), {
      ink: inks[index % 2] ?? inks[0],
      alpha: 1 - phase,
    })
  }
  fill(canvas, disc(x, y, size * (0.24 + 0.03 * Math.sin(seconds * 4))), { ink: inks[2] })
}

export const motifs = {
  orbits,
  bars,
  waves,
  gear,
  stairs,
  pulse,
}
