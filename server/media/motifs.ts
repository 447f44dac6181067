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

const warning: Motif = (scene) => {
  const { canvas, x, y, size, seconds, inks } = scene
  const corners = times(3).map((index) => polar(scene, -Math.PI / 2 + (index * Math.PI * 2) / 3, size * 0.85))
  for (const [index, corner] of corners.entries()) {
    const next = corners[(index + 1) % 3]
    if (next) fill(canvas, stroke(corner, next, size * 0.16), { ink: inks[0] })
  }
  fill(canvas, stroke([x, y - size * 0.32], [x, y + size * 0.08], size * 0.14), { ink: inks[2] })
  fill(canvas, disc(x, y + size * 0.28, size * 0.085), { ink: inks[2] })
  for (const side of [-1, 1]) {
    fill(
      canvas,
      ring({
        x: x + side * size * 0.95,
        y: y - size * 0.55,
        radius: size * (0.08 + 0.16 * ((seconds * 0.7) % 1)),
        pen: size * 0.05,
      }),
      { ink: inks[1], alpha: 1 - ((seconds * 0.7) % 1) },
    )
  }
}

const checklist: Motif = ({ canvas, x, y, size, share, inks }) => {
  for (const index of times(4)) {
    const top = y - size * 0.9 + index * size * 0.48
    const done = clamp(share * 4.4 - index)
    fill(canvas, card([x - size, top, x + size, top + size * 0.36], size * 0.08), {
      ink: inks[2],
      alpha: 0.22 + 0.2 * done,
    })
    fill(
      canvas,
      card(
        [x - size * 0.55, top + size * 0.14, x + size * (0.1 + 0.12 * ((index * 5) % 4)), top + size * 0.22],
        size * 0.04,
      ),
      { ink: inks[2] },
    )
    fill(canvas, disc(x - size * 0.78, top + size * 0.18, size * 0.12), {
      ink: inks[done > 0.5 ? 0 : 1],
      alpha: 0.4 + 0.6 * done,
    })
    if (done < 0.5) continue
    const tick: Point[] = [
      [-0.84, 0.18],
      [-0.79, 0.23],
      [-0.71, 0.12],
    ]
    for (const [at, [across, down]] of tick.slice(0, 2).entries()) {
      const [toAcross, toDown] = tick[at + 1] ?? [0, 0]
      fill(
        canvas,
        stroke(
          [x + size * across, top + size * down],
          [x + size * toAcross, top + size * toDown],
          size * 0.035,
        ),
        { ink: inks[2] },
      )
    }
  }
}

const tiles: Motif = ({ canvas, x, y, size, share, seconds, inks }) => {
  for (const index of times(25)) {
    const [column, row] = [index % 5, Math.floor(index / 5)]
    const [left, top] = [x + (column - 2.5) * size * 0.38, y + (row - 2.5) * size * 0.38]
    const lit = ((index * 7) % 25) / 25 < share
    const glow = 0.75 + 0.25 * Math.sin(seconds * 2 + index)
    fill(canvas, card([left, top, left + size * 0.32, top + size * 0.32], size * 0.06), {
      ink: inks[lit ? index % 2 : 2] ?? inks[0],
      alpha: lit ? glow : 0.25,
    })
  }
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

const network: Motif = (scene) => {
  const { canvas, size, seconds, inks } = scene
  const nodes = times(7).map((index) =>
    polar(
      scene,
      index * 0.9 + seconds * 0.12,
      size * (index === 0 ? 0 : 0.55 + 0.35 * wave(index * 2.2 + seconds * 0.6)),
    ),
  )
  const [hub] = nodes
  for (const [index, node] of nodes.entries()) {
    const next = nodes[(index % 6) + 1]
    if (hub) fill(canvas, stroke(hub, node, size * 0.03), { ink: inks[2], alpha: 0.7 })
    if (next) fill(canvas, stroke(node, next, size * 0.02), { ink: inks[1], alpha: 0.7 })
  }
  for (const [index, node] of nodes.entries())
    fill(canvas, disc(...node, size * (index === 0 ? 0.2 : 0.11)), { ink: inks[index % 3 === 0 ? 0 : 1] })
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

const chart: Motif = ({ canvas, x, y, size, share, inks }) => {
  for (const index of times(4)) {
    const level = y + size * (0.9 - index * 0.55)
    fill(canvas, stroke([x - size, level], [x + size, level], size / 80), { ink: inks[2], alpha: 0.4 })
  }
  const height = (index: number) => y + size * (0.75 - index * 0.13 + 0.22 * Math.sin(index * 1.9))
  const reach = 0.6 + share * 9.4
  const place = (index: number): Point => [x - size + index * size * 0.2, height(index)]
  for (const index of times(Math.floor(reach)))
    fill(canvas, stroke(place(index), place(index + 1), size * 0.055), { ink: inks[0] })
  for (const index of times(Math.floor(reach) + 1))
    fill(canvas, disc(...place(index), size * 0.07), { ink: inks[1] })
}

const slides: Motif = ({ canvas, x, y, size, seconds, inks }) => {
  for (const index of times(4)) {
    const shift = ((index + seconds * 0.22) % 4) - 1.5
    const half = size * (0.62 - 0.14 * Math.abs(shift - 0.5))
    const middle = x + (shift - 0.5) * size * 0.62
    const alpha = clamp(1.25 - 0.6 * Math.abs(shift - 0.5))
    fill(canvas, card([middle - half * 0.7, y - half, middle + half * 0.7, y + half], size * 0.08), {
      ink: inks[index % 3] ?? inks[0],
      alpha,
    })
    fill(canvas, disc(middle, y - half * 0.2, half * 0.3), { ink: inks[(index + 1) % 3] ?? inks[1], alpha })
  }
}

export const motifs = {
  orbits,
  bars,
  waves,
  gear,
  warning,
  checklist,
  tiles,
  stairs,
  network,
  pulse,
  chart,
  slides,
}
