import { expect, test } from 'vitest'
import { skinNames } from './skins.ts'
import { menuColors, plotTones, themeNames, tokensOf, topbarColors, type Tokens } from './tokens.ts'

type Color = readonly [red: number, green: number, blue: number]

function hex(text: string): Color {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16))
  return [red, green, blue]
}

/** A colour as it looks on a ground: `#rrggbb`, or `rgb(r g b / a)`, laid over it. */
function over(text: string, ground: Color): Color {
  if (text.startsWith('#')) return hex(text)
  const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/[\d.]+/g) ?? []).map(Number)
  const mix = (top: number, below: number) => top * alpha + below * (1 - alpha)
  return [mix(red, ground[0]), mix(green, ground[1]), mix(blue, ground[2])]
}

/** Of one channel, 0 to 255: the light it gives, 0 to 1. */
function linear(value: number): number {
  const share = value / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

const each = ([one, two, three]: Color, change: (value: number) => number): Color => [
  change(one),
  change(two),
  change(three),
]

/** Relative luminance and contrast ratio: WCAG 2.2, definitions. */
function luminance(color: Color): number {
  const [red, green, blue] = each(color, linear)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: Color, other: Color): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

const between = (from: Color, to: Color, share: number): Color => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
]

/** Lightest and darkest pixel of `--nav-pattern` in start.css. */
const picture = ['#000000', '#5b7f99'].map(hex)

/** What may lie behind a text: the colour, nine points of a gradient, or both ends of a picture under its veil. */
function grounds(value: string): Color[] {
  if (value.startsWith('#')) return [hex(value)]
  if (value.includes('--nav-pattern')) {
    const veils = value.match(/rgb\([^)]+\)/g) ?? []
    return picture.flatMap((pixel) => veils.map((veil) => over(veil, pixel)))
  }
  const [from = [0, 0, 0] as const, to = [0, 0, 0] as const] = (value.match(/#[\da-f]{6}/g) ?? []).map(hex)
  return Array.from({ length: 9 }, (_, step) => between(from, to, step / 8))
}

type Need = [least: number, text: string, grounds: Color[]]

/** How far each pair falls short, named; empty when every one can be read. */
function missing(tokens: Tokens, needs: readonly Need[]): string[] {
  return needs.flatMap(([least, text, behind]) =>
    behind
      .map((ground) => contrast(over(tokens[text] ?? text, ground), ground))
      .filter((ratio) => !(ratio >= least))
      .map((ratio) => `${text} ${ratio.toFixed(2)} < ${least}`),
  )
}

const combinations = skinNames.flatMap((skin) => themeNames.map((theme) => ({ skin, theme })))

test.each(combinations)('$skin $theme: everything on the page can be read and seen', (choice) => {
  const tokens = tokensOf({ ...choice, menu: 'light', topbar: 'light' })
  const of = (name: string) => hex(tokens[`c-${name}`] ?? '')
  const surfaces = [of('body'), of('surface'), of('raised')]
  const texts = ['text', 'heading', 'dimmed', 'primary-text', 'danger', 'success', 'warning', 'info']
  const tinted = ['danger', 'success', 'warning', 'info']
  const faults = missing(tokens, [
    ...texts.map((name): Need => [4.5, `c-${name}`, surfaces]),
    ...tinted.map((name): Need => [4.5, `c-${name}`, [of(`${name}-tint`)]]),
    [4.5, 'c-primary-text', [of('primary-tint')]],
    [4.5, 'c-text', [...tinted.map((name) => of(`${name}-tint`)), of('primary-tint')]],
    [4.5, '#ffffff', [of('primary-filled'), hex('#b3262f')]],
    [3, 'c-ring', surfaces],
    [3, 'c-input-border', surfaces],
    ...['watched', 'again', 'missing', 'late', 'handed', 'ask'].map((meaning): Need => [
      3,
      `s-${meaning}`,
      [...surfaces, of('primary-tint')],
    ]),
  ])
  expect(faults).toEqual([])
})

/**
 * How colours look to people without one kind of cone: on linear RGB, severity 1.0, from Machado, Oliveira and Fernandes, "A
 * Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009, table 1.
 */
const sights = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
} as const

type Matrix = readonly number[]

function times(matrix: Matrix, [one, two, three]: Color): Color {
  const row = (at: number) =>
    (matrix[at] ?? 0) * one + (matrix[at + 1] ?? 0) * two + (matrix[at + 2] ?? 0) * three
  return [row(0), row(3), row(6)]
}

/** Ottosson, "A perceptual color space for image processing", 2020: from linear RGB. */
const toCones = [
  0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566, 0.0883024619,
  0.2817188376, 0.6299787005,
]
const toLab = [
  0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099, 0.0259040371,
  0.7827717662, -0.808675766,
]

/** A colour in OKLab as it is seen. */
function seen(color: Color, sight: Matrix): Color {
  const simulated = each(times(sight, each(color, linear)), (value) => Math.min(Math.max(value, 0), 1))
  return times(toLab, each(times(toCones, simulated), Math.cbrt))
}

/** In OKLab a just noticeable difference is about 0.02: six of them, because marks in charts are small and lie apart. */
const leastApart = 0.12

test.each(combinations)(
  '$skin $theme: colours of charts stand out and apart for every colour vision',
  (choice) => {
    const tokens = tokensOf({ ...choice, menu: 'light', topbar: 'light' })
    const of = (name: string) => hex(tokens[`c-${name}`] ?? '')
    const grounds = [of('body'), of('surface'), of('raised')]
    expect(
      missing(
        tokens,
        plotTones.map((tone): Need => [3, `c-plot-${tone}`, grounds]),
      ),
    ).toEqual([])
    const pairs = plotTones.flatMap((one, at) =>
      plotTones.slice(at + 1).map((other) => [one, other] as const),
    )
    const alike = Object.entries(sights).flatMap(([sight, matrix]) =>
      pairs
        .map(([one, other]) => {
          const [a, b] = [seen(of(`plot-${one}`), matrix), seen(of(`plot-${other}`), matrix)]
          return { one, other, apart: Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) }
        })
        .filter(({ apart }) => !(apart >= leastApart))
        .map(({ one, other, apart }) => `${one} and ${other} with ${sight}: ${apart.toFixed(3)}`),
    )
    expect(alike).toEqual([])
  },
)

test.each(combinations.flatMap((choice) => menuColors.map((menu) => ({ ...choice, menu }))))(
  '$skin $theme: the $menu side navigation can be read',
  (choice) => {
    const tokens = tokensOf({ ...choice, topbar: 'light' })
    const of = (name: string) => tokens[`nav-${name}`] ?? ''
    const bare = grounds(of('bg'))
    const on = (name: string) => bare.map((ground) => over(of(name), ground))
    const faults = missing(tokens, [
      [4.5, 'nav-item', bare],
      [4.5, 'nav-title', bare],
      [4.5, 'nav-hover', on('hover-bg')],
      [4.5, 'nav-active', on('active-bg')],
      [3, 'nav-ring', bare],
    ])
    expect(faults).toEqual([])
  },
)

test.each(combinations.flatMap((choice) => topbarColors.map((topbar) => ({ ...choice, topbar }))))(
  '$skin $theme: the $topbar top bar can be read',
  (choice) => {
    const tokens = tokensOf({ ...choice, menu: 'light' })
    const of = (name: string) => tokens[`bar-${name}`] ?? ''
    const bare = grounds(of('bg'))
    const field = bare.map((ground) => over(of('search-bg'), ground))
    const faults = missing(tokens, [
      [4.5, 'bar-item', bare],
      [4.5, 'bar-hover', bare],
      [4.5, 'bar-search-placeholder', field],
      [4.5, 'bar-search-text', field],
      [3, 'bar-search-border', bare],
      [3, 'bar-ring', bare],
    ])
    expect(faults).toEqual([])
  },
)

test('no colour control is dead: each choice looks different, in both themes', () => {
  for (const choice of combinations) {
    const menus = menuColors.map((menu) => tokensOf({ ...choice, menu, topbar: 'light' })['nav-bg'])
    const bars = topbarColors.map((topbar) => tokensOf({ ...choice, menu: 'light', topbar })['bar-bg'])
    expect([new Set(menus).size, new Set(bars).size]).toEqual([menuColors.length, topbarColors.length])
  }
})
