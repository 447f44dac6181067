import { corners, grounds } from '#contract/platform/colors.ts'

export const skinNames = ['classic', 'material', 'modern', 'saas', 'flat', 'minimal'] as const
export type SkinName = (typeof skinNames)[number]

export type Skin = {
  /** Family and its stand-in while it loads. */
  font: [family: string, fallback: string]
  size: string
  /** Corners of what is pressed or filled in, and of what holds other things. */
  radius: { control: string; card: string }
  weights: readonly [medium: number, strong: number, bold: number]
  /** The title of a page. */
  title: { size: string; weight: number }
  /** Height of a row in a table, in pixels, where nobody has chosen another. */
  row: number
  card: { border: string; shadow: string }
  floatShadow: string
  /** An item of the side navigation, and how the one is marked whose page is open: by what lies behind it, a bar or a line. */
  item: { padding: string; radius: string; bar: string; line: string; outset: string }
  /** A plot of days: how much of the area below its line is filled, 0 to 1, and how thick the line is. */
  plot: { fill: number; line: string }
  /** Carries white text. */
  filled: string
  light: { body: string; surface: string; raised: string; border: string; primaryTint: string }
  dark: { primaryText: string; primaryTint: string }
  /** The dark side navigation, and what lies on it. */
  slate: { bg: string; hover: string; active: string; text?: string }
  /** The dark top bar. */
  bar: { bg: string; item?: string; search: string; searchBorder?: string; placeholder?: string }
  gradient: string
}

const { light, dark } = grounds

/** Six characters rather than six hues: two of them are told apart in grey. */
export const skins: Record<SkinName, Skin> = {
  // Hairlines, a mark at the edge, quiet green: the console that stays open all day.
  classic: {
    font: ['Open Sans Variable', 'Open Sans Fallback'],
    size: '13px',
    radius: corners,
    weights: [400, 600, 700],
    title: { size: '22px', weight: 600 },
    row: 44,
    card: { border: '1px', shadow: 'none' },
    floatShadow: '0 12px 32px rgb(20 40 32 / 0.14), 0 2px 6px rgb(20 40 32 / 0.08)',
    item: { padding: '8px 10px', radius: '6px', bar: '4px', line: 'none', outset: '0px' },
    plot: { fill: 0.16, line: '2px' },
    filled: light['c-primary-text'],
    light: {
      body: light['c-body'],
      surface: light['c-surface'],
      raised: light['c-raised'],
      border: light['c-border'],
      primaryTint: light['c-primary-tint'],
    },
    dark: { primaryText: dark['c-primary-text'], primaryTint: dark['c-primary-tint'] },
    slate: { bg: '#13211c', hover: '#1b2d26', active: '#21342c' },
    bar: { bg: '#13211c', search: '#24352e' },
    gradient: '#0f4a41, #16213a',
  },
  // Raised paper on a tinted ground, pills, filled areas.
  material: {
    font: ['Roboto Variable', 'Roboto Fallback'],
    size: '14px',
    radius: { control: '20px', card: '16px' },
    weights: [400, 500, 600],
    title: { size: '24px', weight: 400 },
    row: 48,
    card: { border: '0px', shadow: '0 1px 2px rgb(30 40 80 / 0.22), 0 2px 8px rgb(30 40 80 / 0.1)' },
    floatShadow: '0 6px 20px rgb(30 40 80 / 0.24)',
    item: { padding: '10px 14px', radius: '20px', bar: '0px', line: 'none', outset: '0px' },
    plot: { fill: 0.34, line: '2px' },
    filled: '#1c5dc2',
    light: {
      body: '#edf1fa',
      surface: '#ffffff',
      raised: '#f1f4fb',
      border: '#dde3ef',
      primaryTint: '#e0eafc',
    },
    dark: { primaryText: '#8db7ff', primaryTint: '#1b3155' },
    slate: { bg: '#1d2a47', hover: '#2a3a5e', active: '#c7dafb', text: '#0c234f' },
    bar: {
      bg: '#1c5dc2',
      item: '#e9f0fb',
      search: '#174ea4',
      searchBorder: '#9fc0f2',
      placeholder: '#d5e3f9',
    },
    gradient: '#123f7d, #2a2352',
  },
  // No lines: wide space, large round corners, a filled item.
  modern: {
    font: ['Poppins', 'Poppins Fallback'],
    size: '13px',
    radius: { control: '12px', card: '22px' },
    weights: [500, 500, 600],
    title: { size: '22px', weight: 600 },
    row: 50,
    card: { border: '0px', shadow: 'none' },
    floatShadow: '0 16px 40px rgb(50 45 100 / 0.22)',
    item: { padding: '12px 14px', radius: '12px', bar: '0px', line: 'none', outset: '0px' },
    plot: { fill: 0, line: '3px' },
    filled: '#4a44ab',
    light: {
      body: '#f2f0fc',
      surface: '#ffffff',
      raised: '#f4f3fd',
      border: '#e6e4f5',
      primaryTint: '#e9e7fb',
    },
    dark: { primaryText: '#b4b0f7', primaryTint: '#2b2850' },
    slate: { bg: '#211f42', hover: '#2d2b57', active: '#5a52c7' },
    bar: { bg: '#211f42', search: '#343158' },
    gradient: '#3b368f, #1f2340',
  },
  // White on white, a long soft shadow, a raised item, fine lines.
  saas: {
    font: ['Inter Variable', 'Inter Fallback'],
    size: '13px',
    radius: { control: '8px', card: '14px' },
    weights: [500, 500, 600],
    title: { size: '22px', weight: 600 },
    row: 46,
    card: { border: '1px', shadow: '0 20px 40px -12px rgb(18 30 48 / 0.14)' },
    floatShadow: '0 24px 56px rgb(18 30 48 / 0.2)',
    item: { padding: '8px 10px', radius: '8px', bar: '0px', line: 'none', outset: '0px' },
    plot: { fill: 0, line: '1.5px' },
    filled: '#5f3fd4',
    light: {
      body: '#fcfcfd',
      surface: '#ffffff',
      raised: '#f6f7f9',
      border: '#eceef2',
      primaryTint: '#f0ecfd',
    },
    dark: { primaryText: '#b9a8ff', primaryTint: '#30285b' },
    slate: { bg: '#14171d', hover: '#20242c', active: '#ffffff', text: '#14171d' },
    bar: { bg: '#14171d', search: '#2a2e37' },
    gradient: '#42289c, #182848',
  },
  // Solid colour to the edge, square, a heavy head.
  flat: {
    font: ['Nunito Variable', 'Nunito Fallback'],
    size: '14px',
    radius: { control: '0px', card: '0px' },
    weights: [500, 700, 700],
    title: { size: '26px', weight: 700 },
    row: 44,
    card: { border: '0px', shadow: 'none' },
    floatShadow: '0 0 0 2px rgb(5 63 50 / 0.9)',
    item: { padding: '10px 22px', radius: '0px', bar: '0px', line: 'none', outset: '12px' },
    plot: { fill: 0.9, line: '0px' },
    filled: '#08745a',
    light: {
      body: '#ffffff',
      surface: '#f5f8f6',
      raised: '#eef2f0',
      border: '#d8dfdb',
      primaryTint: '#d9efe6',
    },
    dark: { primaryText: '#55d4ab', primaryTint: '#153836' },
    slate: { bg: '#053f32', hover: '#08533f', active: '#ffcf5c', text: '#17211d' },
    bar: { bg: '#053f32', search: '#12503f' },
    gradient: '#0a5a52, #053f32',
  },
  // Only rules and type, dense.
  minimal: {
    font: ['IBM Plex Sans Variable', 'IBM Plex Sans Fallback'],
    size: '14px',
    radius: { control: '2px', card: '0px' },
    weights: [400, 500, 700],
    title: { size: '20px', weight: 700 },
    row: 38,
    card: { border: '1px 0', shadow: 'none' },
    floatShadow: '0 0 0 1px rgb(30 40 55 / 0.5)',
    item: { padding: '6px 10px', radius: '0px', bar: '0px', line: 'underline', outset: '0px' },
    plot: { fill: 0, line: '1px' },
    filled: '#17666c',
    light: {
      body: '#ffffff',
      surface: '#ffffff',
      raised: '#f5f6f6',
      border: '#dadddf',
      primaryTint: '#e9f2f3',
    },
    dark: { primaryText: '#71cad1', primaryTint: '#1a343b' },
    slate: { bg: '#17191b', hover: '#222528', active: '#17191b' },
    bar: { bg: '#17191b', search: '#2b2e31' },
    gradient: '#1d4a52, #17191b',
  },
}
