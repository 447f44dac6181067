import { expect, test } from 'vitest'
import { skinNames } from './skins.ts'
import { menuColors, themeNames, toCss, tokensOf, topbarColors, toShellCss, type Tokens } from './tokens.ts'

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

/** Relative luminance and contrast ratio: WCAG 2.2, definitions. */
function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
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

test('the style sheets are the ones that the data say', async () => {
  await expect(toCss()).toMatchFileSnapshot('tokens.css')
  await expect(toShellCss()).toMatchFileSnapshot('shell-tokens.css')
})

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
  ])
  expect(faults).toEqual([])
})

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
