import { grounds, inks, strips } from '#contract/platform/colors.ts'
import { skinNames, skins, type Skin, type SkinName } from './skins.ts'

/**
 * The look as data; the build writes the style sheets from it (`build/styles.ts`), and `tokens.test.ts` checks every contrast.
 * What the skins share stands once; a skin says only what makes it different.
 */
export const themeNames = ['light', 'dark'] as const
export const menuColors = ['light', 'dark', 'gray', 'gradient', 'image'] as const
export const topbarColors = ['light', 'dark', 'gray', 'gradient'] as const
export type ThemeName = (typeof themeNames)[number]
export type MenuColor = (typeof menuColors)[number]
export type TopbarColor = (typeof topbarColors)[number]

/** Names of custom properties, without their dashes, and their values. */
export type Tokens = Record<string, string>

const white = '#ffffff'

/** What a chart is drawn in; what is done has the colour of what was watched. */
export const plotTones = ['success', 'neutral', 'info', 'warning', 'danger'] as const
export type PlotTone = (typeof plotTones)[number]

/**
 * Colours of charts, found by search: each stands out from its ground, and from the others for every kind of colour vision. The colours
 * of texts are too alike for that.
 */
function plotTokens(colors: Record<Exclude<PlotTone, 'success'>, string>): Tokens {
  const named = Object.entries(colors).map(([tone, value]) => [`c-plot-${tone}`, value])
  return { 'c-plot-success': 'var(--s-watched)', ...Object.fromEntries(named) }
}

const shared: Record<ThemeName, Tokens> = {
  light: {
    ...strips.light,
    ...inks.light,
    'c-ring': 'var(--c-primary-text)',
    ...plotTokens({
      neutral: '#0d1014',
      info: '#3c4e9c',
      warning: '#cc4800',
      danger: '#8a1212',
    }),
  },
  dark: {
    ...strips.dark,
    ...grounds.dark,
    ...inks.dark,
    'c-ring': 'var(--c-primary-text)',
    ...plotTokens({
      neutral: '#f4f9fe',
      info: '#7ebaf6',
      warning: '#f0ae48',
      danger: '#f6543c',
    }),
  },
}

function skinTokens({ font: [family, fallback], card, ...skin }: Skin): Tokens {
  const [medium, strong, bold] = skin.weights
  return {
    'c-font': `'${family}', '${fallback}', system-ui, sans-serif`,
    'c-fs': skin.size,
    'c-radius': skin.radius.control,
    'c-radius-card': skin.radius.card,
    'c-title-size': skin.title.size,
    'c-title-weight': String(skin.title.weight),
    'row-h': `${skin.row}px`,
    'c-fw-medium': String(medium),
    'c-fw-strong': String(strong),
    'c-fw-bold': String(bold),
    'c-nav-pad': skin.item.padding,
    'c-nav-radius': skin.item.radius,
    'c-nav-bar': skin.item.bar,
    'c-nav-line': skin.item.line,
    'c-nav-outset': skin.item.outset,
    'c-plot-fill': String(skin.plot.fill),
    'c-plot-line': skin.plot.line,
    'c-card-border-w': card.border,
    'c-card-shadow': card.shadow,
    'c-float-shadow': skin.floatShadow,
    'c-primary-filled': skin.filled,
    'c-primary-filled-hover': `color-mix(in srgb, ${skin.filled}, black 14%)`,
    'c-gradient': skin.gradient,
    // The dark of drawings: it stands against the tint in both themes.
    'c-ink': 'color-mix(in srgb, var(--c-heading) 88%, var(--c-primary-text))',
    'c-mark': skin.dark.primaryText,
    'c-slate': skin.slate.bg,
    'c-slate-hover': skin.slate.hover,
    'c-slate-active': skin.slate.active,
    'c-slate-text': skin.slate.text ?? white,
    'c-bar-dark': skin.bar.bg,
    'c-bar-dark-item': skin.bar.item ?? '#c2cbd6',
    'c-bar-dark-search': skin.bar.search,
    'c-bar-dark-search-border': skin.bar.searchBorder ?? '#8a96a6',
    'c-bar-dark-placeholder': skin.bar.placeholder ?? '#b5c0cd',
  }
}

function themeTokens({ light, dark, filled }: Skin, theme: ThemeName): Tokens {
  if (theme === 'dark') return { 'c-primary-text': dark.primaryText, 'c-primary-tint': dark.primaryTint }
  return {
    'c-body': light.body,
    'c-surface': light.surface,
    'c-raised': light.raised,
    'c-border': light.border,
    'c-primary-text': filled,
    'c-primary-tint': light.primaryTint,
  }
}

type Nav = readonly [
  bg: string,
  item: string,
  hover: string,
  hoverBg: string,
  active: string,
  activeBg: string,
  title: string,
  border: string,
  ring: string,
]
const navNames = ['bg', 'item', 'hover', 'hover-bg', 'active', 'active-bg', 'title', 'border', 'ring']
const primary = 'var(--c-primary-text)'
const glow = 'rgb(255 255 255 / 0.1)'

const gradientNav: Nav = [
  'linear-gradient(135deg, var(--c-gradient))',
  '#cbd6e2',
  white,
  glow,
  white,
  'rgb(0 0 0 / 0.28)',
  '#bccad8',
  'transparent',
  white,
]
/** The picture is drawn (`--nav-pattern` in start.css): lines and dots under a dark veil. */
const imageNav: Nav = [
  'linear-gradient(160deg, rgb(17 24 39 / 0.9), rgb(21 52 71 / 0.9)), var(--nav-pattern)',
  '#c3cfdc',
  white,
  glow,
  white,
  'rgb(0 0 0 / 0.3)',
  '#b4c2d1',
  'transparent',
  white,
]

function nightNav(ground: string, activeBg: string): Nav {
  const hoverBg = 'rgb(255 255 255 / 0.07)'
  return [ground, '#aab6b0', white, hoverBg, primary, activeBg, '#9aa8a1', 'var(--c-border)', white]
}

const navs: Record<ThemeName, Record<MenuColor, Nav>> = {
  light: {
    light: [
      white,
      '#4a5364',
      primary,
      'var(--c-primary-tint)',
      primary,
      'var(--c-primary-tint)',
      '#566072',
      'var(--c-border)',
      primary,
    ],
    dark: [
      'var(--c-slate)',
      '#b3bfcd',
      white,
      'var(--c-slate-hover)',
      'var(--c-slate-text)',
      'var(--c-slate-active)',
      '#a3b0bf',
      'var(--c-slate)',
      white,
    ],
    gray: ['#eef0f5', '#454e5e', primary, '#e4e7ee', '#1d2530', '#d9dde6', '#525c6d', '#dcdfe7', primary],
    gradient: gradientNav,
    image: imageNav,
  },
  dark: {
    light: nightNav('#171c1a', 'rgb(0 0 0 / 0.25)'),
    dark: nightNav('#0b0f0d', 'rgb(255 255 255 / 0.08)'),
    gray: nightNav('#202724', 'rgb(0 0 0 / 0.25)'),
    gradient: gradientNav,
    image: imageNav,
  },
}

type Bar = readonly [
  bg: string,
  item: string,
  hover: string,
  searchBg: string,
  searchBorder: string,
  placeholder: string,
  searchText: string,
  ring: string,
]
const barNames = [
  'bg',
  'item',
  'hover',
  'search-bg',
  'search-border',
  'search-placeholder',
  'search-text',
  'ring',
]

const gradientBar: Bar = [
  'linear-gradient(90deg, var(--c-gradient))',
  '#e3eaf1',
  white,
  'rgb(255 255 255 / 0.12)',
  'rgb(255 255 255 / 0.72)',
  '#dbe4ec',
  white,
  white,
]

function nightBar(ground: string, search: string): Bar {
  return [ground, '#b9c4be', white, search, '#828f88', '#a4b0aa', '#e6ede9', white]
}

const bars: Record<ThemeName, Record<TopbarColor, Bar>> = {
  light: {
    light: [white, '#4f5b55', primary, 'var(--c-raised)', '#7b8680', '#59655f', 'var(--c-text)', primary],
    dark: [
      'var(--c-bar-dark)',
      'var(--c-bar-dark-item)',
      white,
      'var(--c-bar-dark-search)',
      'var(--c-bar-dark-search-border)',
      'var(--c-bar-dark-placeholder)',
      white,
      white,
    ],
    gray: ['#eef0f5', '#454e5e', primary, white, '#7b8495', '#5f6879', '#343a48', primary],
    gradient: gradientBar,
  },
  dark: {
    light: nightBar('#171c1a', '#242b28'),
    dark: nightBar('#0b0f0d', '#181d1b'),
    gray: nightBar('#202724', '#2b3330'),
    gradient: gradientBar,
  },
}

function named(prefix: string, names: readonly string[], values: readonly string[]): Tokens {
  return Object.fromEntries(names.map((name, index) => [`${prefix}-${name}`, values[index] ?? '']))
}

export type Choice = { skin: SkinName; theme: ThemeName; menu: MenuColor; topbar: TopbarColor }

/** Every token with its plain value, as the browser works it out for these choices. */
export function tokensOf({ skin, theme, menu, topbar }: Choice): Tokens {
  const all: Tokens = {
    ...skinTokens(skins[skin]),
    ...shared[theme],
    ...themeTokens(skins[skin], theme),
    ...named('nav', navNames, navs[theme][menu]),
    ...named('bar', barNames, bars[theme][topbar]),
  }
  const plain = (text: string): string =>
    text.replaceAll(/var\(--([\w-]+)\)/g, (whole, name: string) => {
      const value = all[name]
      return value === undefined ? whole : plain(value)
    })
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, plain(value)]))
}

function block(selector: string, values: Tokens): string {
  const lines = Object.entries(values).map(([name, value]) => `  --${name}: ${value};`)
  return `${selector} {\n${lines.join('\n')}\n}\n`
}

const at = ':is(html, [data-preview])'

/** What `data-plot` says, as `--plot`. Where the device decides about colours there is one, and forms tell apart. */
function toneCss(): string {
  const rules = plotTones.map((tone) => block(`[data-plot='${tone}']`, { plot: `var(--c-plot-${tone})` }))
  return `${rules.join('')}@media (forced-colors: active) {\n${block('[data-plot]', { plot: 'CanvasText' })}}\n`
}

/** Of every page: chosen by the attributes of the page, or of a preview inside it. Paper is light, also for who works in the dark. */
export function toCss(): string {
  const dark = "[data-bs-theme='dark']"
  return [
    block(`${at}[data-bs-theme]`, shared.light),
    ...skinNames.map((name) =>
      block(`${at}[data-skin='${name}']`, {
        ...skinTokens(skins[name]),
        ...themeTokens(skins[name], 'light'),
      }),
    ),
    `@media screen {\n${dark} {\n  color-scheme: dark;\n}\n`,
    block(`${at}${dark}`, shared.dark),
    ...skinNames.map((name) => block(`${at}[data-skin='${name}']${dark}`, themeTokens(skins[name], 'dark'))),
    '}\n',
    toneCss(),
  ].join('')
}

/** Of the console alone: side navigation and top bar. */
export function toShellCss(): string {
  const navOf = (theme: ThemeName, color: MenuColor) =>
    block(
      `${at}[data-bs-theme='${theme}'][data-menu-color='${color}']`,
      named('nav', navNames, navs[theme][color]),
    )
  const barOf = (theme: ThemeName, color: TopbarColor) =>
    block(
      `${at}[data-bs-theme='${theme}'][data-topbar-color='${color}']`,
      named('bar', barNames, bars[theme][color]),
    )
  return [
    ...themeNames.flatMap((theme) => menuColors.map((color) => navOf(theme, color))),
    ...themeNames.flatMap((theme) => topbarColors.map((color) => barOf(theme, color))),
  ].join('')
}
