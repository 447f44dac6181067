import classes from './Face.module.css'
import type { FaceName } from './faces.ts'

/** Kinds of shapes; `Face.module.css` says how each looks in the colours of the skin. */
type Kind = 'ink' | 'pale' | 'main' | 'line' | 'stroke' | 'cut'
/** Left, top, width, height. */
type Rectangle = readonly [number, number, number, number]
type Shape = readonly [Kind, string]

function box([x, y, width, height]: Rectangle, r = 4): string {
  return `M${x + r} ${y}h${width - 2 * r}a${r} ${r} 0 0 1 ${r} ${r}v${height - 2 * r}a${r} ${r} 0 0 1-${r} ${r}h${2 * r - width}a${r} ${r} 0 0 1-${r}-${r}v${2 * r - height}a${r} ${r} 0 0 1 ${r}-${r}z`
}

function round(x: number, y: number, r: number): string {
  return `M${x - r} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1-${2 * r} 0z`
}

/** The holes along both edges of a film. */
function holes(x: number, count: number, y = 68): string {
  return Array.from(
    { length: count },
    (_, n) => box([x + n * 18, y, 9, 6], 2) + box([x + n * 18, y + 66, 9, 6], 2),
  ).join('')
}

const play = (x: number, y: number) => `M${x} ${y - 11}v22l18-11z`
const screen: readonly Shape[] = [
  ['ink', box([60, 30, 160, 112], 12) + 'M122 142h36l5 22h-46z'],
  ['pale', box([70, 40, 140, 92], 6)],
]
const reel: readonly Shape[] = [
  ['ink', round(140, 96, 62)],
  ['pale', [0, 1, 2, 3, 4].map((n) => around(n)).join('')],
  ['main', round(140, 96, 10)],
]

function around(n: number): string {
  const angle = ((n * 72 - 90) * Math.PI) / 180
  return round(Math.round(140 + 37 * Math.cos(angle)), Math.round(96 + 37 * Math.sin(angle)), 15)
}

const torn: readonly Shape[] = [
  ['ink', 'M24 62h104l-10 14 14 14-14 14 14 14-14 14 8 14H24a8 8 0 0 1-8-8V70a8 8 0 0 1 8-8z'],
  ['pale', holes(26, 5) + box([28, 84, 36, 40], 3) + box([72, 84, 36, 40], 3)],
  ['ink', 'm152 50 102 14a8 8 0 0 1 7 9l-10 68a8 8 0 0 1-9 7l-104-15 14-12-12-16 16-12-12-15 16-13z'],
  ['pale', 'm170 75 34 5-6 40-34-5zM213 81l34 5-6 40-34-5z'],
  ['stroke', 'm133 34 5 14M150 30l-4 15M118 42l9 11'],
]
const clock: readonly Shape[] = [
  ['ink', box([130, 20, 20, 18], 4) + round(140, 98, 66) + 'M190 36l14 14-8 8-14-14z'],
  ['cut', round(140, 98, 54)],
  ['pale', 'M140 98V52a46 46 0 1 1-44 58z'],
  ['line', 'M140 48v8M140 140v8M190 98h-8M98 98h-8'],
  ['stroke', 'M140 66v32l22 14'],
  ['main', round(140, 98, 6)],
]

/** Still pictures around what the product is about: film, screen and reel. */
const pictures: Record<FaceName, readonly Shape[]> = {
  400: torn,
  unreadable: torn,
  401: [
    ...screen,
    ['stroke', 'M124 82V72a16 16 0 0 1 32 0v10'],
    ['main', box([114, 80, 52, 40], 8)],
    ['cut', round(140, 97, 5) + box([138, 98, 4, 12], 2)],
  ],
  403: [
    ['ink', box([92, 28, 96, 136], 8)],
    ['pale', box([102, 38, 76, 126], 4)],
    ['main', play(132, 66)],
    ['ink', box([40, 84, 16, 80], 4) + box([224, 84, 16, 80], 4)],
    ['main', round(48, 76, 8) + round(232, 76, 8)],
    ['cut', box([30, 96, 220, 26], 13)],
    ['main', [46, 88, 130, 172, 214].map((x) => `M${x} 99h20l-12 20h-20z`).join('')],
  ],
  404: [
    ['ink', 'M24 62h80v84H24a8 8 0 0 1-8-8V70a8 8 0 0 1 8-8zM176 62h80a8 8 0 0 1 8 8v68a8 8 0 0 1-8 8h-80z'],
    ['pale', holes(27, 4) + holes(190, 4) + box([30, 82, 62, 44], 3) + box([188, 82, 62, 44], 3)],
    ['main', 'm36 122 16-22 11 14 7-8 16 16z' + round(78, 92, 5) + play(212, 104)],
    ['line', box([109, 82, 62, 44], 3)],
    ['stroke', 'M133 98a7 7 0 1 1 9 7c-2 1-2 2-2 4m0 7v.5'],
  ],
  408: clock,
  429: clock,
  wait: clock,
  500: [
    ['line', 'M88 150c-44 14-62-6-46-18s44 6 28 26M192 142c20 24 52 20 58 4s-22-22-26-4 22 26 40 18'],
    ...reel,
    ['cut', 'm150 30-8 22 12 10-14 16 8 12-6-2-10-12 10-16-12-10 6-20z'],
    ['cut', 'm132 162 6-18-10-12 8-16 6 2-4 14 12 12-8 18z'],
  ],
  maintenance: [
    ...reel,
    ['cut', 'M222 60a30 30 0 0 1-38 38l-58 62a16 16 0 0 1-24-22l60-60a30 30 0 0 1 38-38l-18 18 5 17 17 5z'],
    ['main', 'M216 66a25 25 0 0 1-34 26l-60 64a11 11 0 0 1-16-15l62-62a25 25 0 0 1 26-34l-16 16 6 22 22 6z'],
    ['main', 'M42 164h52v-7h-8L72 116h-8l-14 41h-8z'],
    ['cut', 'm58 134-3 8h26l-3-8z'],
  ],
  offline: [
    ['line', 'M8 150c40 0 24-50 62-50M272 50c-40 0-24 50-62 50'],
    ['ink', box([64, 78, 44, 44], 10) + box([172, 78, 44, 44], 10)],
    ['main', box([108, 86, 18, 7], 3) + box([108, 107, 18, 7], 3)],
    ['cut', box([176, 86, 14, 7], 3) + box([176, 107, 14, 7], 3)],
    ['stroke', 'm149 70-6 16M149 130l-6-16M134 66v12M134 134v-12'],
  ],
  updated: [
    ...screen,
    ['stroke', 'M112 92a28 28 0 0 1 50-20m6 8a28 28 0 0 1-50 22'],
    ['main', 'M166 58v18h-18zM114 116V98h18z' + play(134, 87)],
  ],
}

export function FacePicture({ name }: { name: FaceName }) {
  return (
    <svg className={classes.picture} viewBox="0 0 280 184" width="280" height="184" aria-hidden>
      {pictures[name].map(([kind, d]) => (
        <path key={d} className={classes[kind]} d={d} />
      ))}
    </svg>
  )
}
