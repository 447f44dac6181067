/**
 * The look as data; `tokens.css` is written from it (`tokens.test.ts` compares and checks every contrast).
 * One skin so far; the others join as further rows.
 */
export const topbarColors = ['light', 'dark', 'gray', 'gradient'] as const
export const menuColors = ['light', 'dark', 'gray', 'gradient', 'image'] as const
export const themeNames = ['light', 'dark'] as const
type ThemeName = (typeof themeNames)[number]

type Skin = {
  font: string
  size: string
  radius: string
  weights: readonly [medium: number, strong: number, bold: number]
  cardBorder: string
  cardShadow: string
  floatShadow: string
  primaryFilled: string
  themes: Record<ThemeName, Record<string, string>>
  /** bg, item, hover, hoverBg, active, activeBg, title, border, ring */
  menu: Record<ThemeName, Record<(typeof menuColors)[number], readonly string[]>>
  /** bg, item, hover, searchBg, searchBorder, placeholder, searchText, ring */
  bar: Record<ThemeName, Record<(typeof topbarColors)[number], readonly string[]>>
}

const menuNames = ['bg', 'item', 'hover', 'hover-bg', 'active', 'active-bg', 'title', 'border', 'ring']
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

const statusLight = { danger: '#b3262f', success: '#17734a', warning: '#8a5300', info: '#0b6a80' }
const statusDark = { danger: '#ff9a9f', success: '#5fd6a0', warning: '#f2b76a', info: '#66cbe0' }
const tintLight = {
  'danger-tint': '#fbeaeb',
  'success-tint': '#e4f4ec',
  'warning-tint': '#fbf0df',
  'info-tint': '#e2f2f6',
}
const tintDark = {
  'danger-tint': '#3d2227',
  'success-tint': '#173529',
  'warning-tint': '#3a2c17',
  'info-tint': '#15323b',
}

const white = '#ffffff'
const gradient = '#17465c, #26264a'
const photo = 'linear-gradient(160deg, rgb(17 24 39 / 0.9), rgb(21 52 71 / 0.9)), var(--nav-pattern)'
const gradientMenu = [
  `linear-gradient(135deg, ${gradient})`,
  '#cbd6e2',
  white,
  'rgb(255 255 255 / 0.1)',
  white,
  'rgb(0 0 0 / 0.28)',
  '#bccad8',
  'transparent',
  white,
] as const
const imageMenu = [
  photo,
  '#c3cfdc',
  white,
  'rgb(255 255 255 / 0.1)',
  white,
  'rgb(0 0 0 / 0.3)',
  '#b4c2d1',
  'transparent',
  white,
] as const
const gradientBar = [
  `linear-gradient(90deg, ${gradient})`,
  '#e3eaf1',
  white,
  'rgb(255 255 255 / 0.12)',
  'rgb(255 255 255 / 0.72)',
  '#dbe4ec',
  white,
  white,
] as const

const classic: Skin = {
  font: "'Open Sans Variable', 'Open Sans Fallback', system-ui, sans-serif",
  size: '13px',
  radius: '5px',
  weights: [500, 600, 700],
  cardBorder: '1px',
  cardShadow: 'none',
  floatShadow: '0 1px 4px rgb(60 72 92 / 0.18)',
  primaryFilled: '#0c7562',
  themes: {
    light: {
      body: '#f1f3f7',
      surface: '#ffffff',
      raised: '#f4f6f9',
      border: '#dde2e9',
      'input-border': '#7f8899',
      text: '#343a48',
      heading: '#232936',
      dimmed: '#566072',
      'primary-text': '#0c7562',
      'primary-tint': '#e2f3ef',
      ring: '#0c7562',
      ...statusLight,
      ...tintLight,
    },
    dark: {
      body: '#14161c',
      surface: '#1b1e26',
      raised: '#242834',
      border: '#353b49',
      'input-border': '#727c8f',
      text: '#c8cfda',
      heading: '#e9edf3',
      dimmed: '#9aa5b6',
      'primary-text': '#4fd1b5',
      'primary-tint': '#163838',
      ring: '#4fd1b5',
      ...statusDark,
      ...tintDark,
    },
  },
  menu: {
    light: {
      light: [white, '#4a5364', '#0c7562', '#e2f3ef', '#0c7562', '#e2f3ef', '#566072', '#dde2e9', '#0c7562'],
      dark: ['#1f2d38', '#b3bfcd', white, '#2a3a47', white, '#16212a', '#a3b0bf', '#1f2d38', white],
      gray: [
        '#eef0f5',
        '#454e5e',
        '#0c7562',
        '#e4e7ee',
        '#1d2530',
        '#d9dde6',
        '#525c6d',
        '#dcdfe7',
        '#0c7562',
      ],
      gradient: gradientMenu,
      image: imageMenu,
    },
    dark: {
      light: [
        '#1b1e26',
        '#aab4c3',
        white,
        'rgb(255 255 255 / 0.07)',
        '#4fd1b5',
        'rgb(0 0 0 / 0.25)',
        '#9aa5b6',
        '#353b49',
        white,
      ],
      dark: [
        '#0f1116',
        '#aab4c3',
        white,
        'rgb(255 255 255 / 0.07)',
        '#4fd1b5',
        'rgb(255 255 255 / 0.08)',
        '#9aa5b6',
        '#353b49',
        white,
      ],
      gray: [
        '#242834',
        '#aab4c3',
        white,
        'rgb(255 255 255 / 0.07)',
        '#4fd1b5',
        'rgb(0 0 0 / 0.25)',
        '#9aa5b6',
        '#353b49',
        white,
      ],
      gradient: gradientMenu,
      image: imageMenu,
    },
  },
  bar: {
    light: {
      light: [white, '#4a5364', '#0c7562', white, '#7f8899', '#5f6879', '#343a48', '#0c7562'],
      dark: ['#232630', '#c2cbd6', white, '#353741', '#8a96a6', '#b5c0cd', white, white],
      gray: ['#eef0f5', '#454e5e', '#0c7562', white, '#7b8495', '#5f6879', '#343a48', '#0c7562'],
      gradient: gradientBar,
    },
    dark: {
      light: ['#1b1e26', '#b9c2cf', white, '#292c33', '#818b9d', '#a4aebd', '#e6ebf2', white],
      dark: ['#0f1116', '#b9c2cf', white, '#1d1f24', '#818b9d', '#a4aebd', '#e6ebf2', white],
      gray: ['#242834', '#b9c2cf', white, '#313540', '#818b9d', '#a4aebd', '#e6ebf2', white],
      gradient: gradientBar,
    },
  },
}

export const skins = { classic }

function block(selector: string, values: Record<string, string>): string {
  const lines = Object.entries(values).map(([name, value]) => `  --${name}: ${value};`)
  return `${selector} {\n${lines.join('\n')}\n}\n`
}

function named(prefix: string, names: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [`${prefix}-${name}`, values[index] ?? '']))
}

/** The style sheet of all skins: each block is chosen by the attributes of the page, or of a preview inside it. */
export function toCss(all: Record<string, Skin> = skins): string {
  const root = ':is(html, [data-preview])'
  const blocks = Object.entries(all).map(([name, skin]) => {
    const base = `${root}[data-skin='${name}']`
    const [medium, strong, bold] = skin.weights
    return (
      block(base, {
        'c-font': skin.font,
        'c-fs': skin.size,
        'c-radius': skin.radius,
        'c-fw-medium': String(medium),
        'c-fw-strong': String(strong),
        'c-fw-bold': String(bold),
        'c-card-border-w': skin.cardBorder,
        'c-card-shadow': skin.cardShadow,
        'c-float-shadow': skin.floatShadow,
        'c-primary-filled': skin.primaryFilled,
      }) + themeNames.map((theme) => themeBlocks(`${base}[data-bs-theme='${theme}']`, skin, theme)).join('')
    )
  })
  return `/* Written from tokens.ts by tokens.test.ts (vitest -u); do not edit by hand. */\n${blocks.join('')}`
}

function themeBlocks(selector: string, skin: Skin, theme: ThemeName): string {
  return [
    block(selector, named('c', Object.keys(skin.themes[theme]), Object.values(skin.themes[theme]))),
    ...menuColors.map((color) =>
      block(`${selector}[data-menu-color='${color}']`, named('nav', menuNames, skin.menu[theme][color])),
    ),
    ...topbarColors.map((color) =>
      block(`${selector}[data-topbar-color='${color}']`, named('bar', barNames, skin.bar[theme][color])),
    ),
  ].join('')
}
