export const skinNames = ['classic', 'material', 'modern', 'saas', 'flat', 'minimal'] as const
export type SkinName = (typeof skinNames)[number]

export type Skin = {
  /** Family and its stand-in while it loads. */
  font: [family: string, fallback: string]
  size: string
  radius: string
  weights: readonly [medium: number, strong: number, bold: number]
  navPadding: string
  card: { border: string; shadow: string }
  floatShadow: string
  /** Carries white text. */
  filled: string
  light: { body: string; surface: string; border: string; primaryTint: string }
  dark: { primaryText: string; primaryTint: string }
  /** The dark side navigation, and what lies on it. */
  slate: { bg: string; hover: string; active: string }
  /** The dark top bar. */
  bar: { bg: string; item?: string; search: string; searchBorder?: string; placeholder?: string }
  gradient: string
}

export const skins: Record<SkinName, Skin> = {
  classic: {
    font: ['Open Sans Variable', 'Open Sans Fallback'],
    size: '13px',
    radius: '5px',
    weights: [500, 600, 700],
    navPadding: '10px 10px',
    card: { border: '1px', shadow: 'none' },
    floatShadow: '0 1px 4px rgb(60 72 92 / 0.18)',
    filled: '#0c7562',
    light: { body: '#f1f3f7', surface: '#ffffff', border: '#dde2e9', primaryTint: '#e2f3ef' },
    dark: { primaryText: '#4fd1b5', primaryTint: '#163838' },
    slate: { bg: '#1f2d38', hover: '#2a3a47', active: '#16212a' },
    bar: { bg: '#232630', search: '#353741' },
    gradient: '#17465c, #26264a',
  },
  material: {
    font: ['Roboto Variable', 'Roboto Fallback'],
    size: '14px',
    radius: '4px',
    weights: [400, 500, 600],
    navPadding: '10px 10px',
    card: { border: '0px', shadow: '0 1px 3px rgb(38 36 52 / 0.1), 0 1px 2px rgb(38 36 52 / 0.06)' },
    floatShadow: '0 3px 10px rgb(38 36 52 / 0.2)',
    filled: '#1c5dc2',
    light: { body: '#f3f4f6', surface: '#ffffff', border: '#e0e2e6', primaryTint: '#e6effc' },
    dark: { primaryText: '#8db7ff', primaryTint: '#1b3155' },
    slate: { bg: '#27293b', hover: '#34374c', active: '#1d1f2e' },
    bar: {
      bg: '#1c5dc2',
      item: '#e9f0fb',
      search: '#174ea4',
      searchBorder: '#9fc0f2',
      placeholder: '#d5e3f9',
    },
    gradient: '#123f7d, #2a2352',
  },
  modern: {
    font: ['Poppins', 'Poppins Fallback'],
    size: '13px',
    radius: '8px',
    weights: [500, 500, 600],
    navPadding: '10px 12px',
    card: { border: '0px', shadow: '0 1px 2px rgb(50 55 80 / 0.16)' },
    floatShadow: '0 4px 14px rgb(50 58 76 / 0.2)',
    filled: '#4753ab',
    light: { body: '#f6f6fa', surface: '#ffffff', border: '#e2e3ec', primaryTint: '#ebedf9' },
    dark: { primaryText: '#aab3f7', primaryTint: '#282e4e' },
    slate: { bg: '#222a3b', hover: '#2e384d', active: '#181f2d' },
    bar: { bg: '#252836', search: '#363946' },
    gradient: '#33397c, #1f2340',
  },
  saas: {
    font: ['Inter Variable', 'Inter Fallback'],
    size: '13px',
    radius: '6px',
    weights: [500, 500, 600],
    navPadding: '10px 10px',
    card: { border: '1px', shadow: '0 8px 24px rgb(18 30 48 / 0.05)' },
    floatShadow: '0 8px 24px rgb(18 30 48 / 0.14)',
    filled: '#6040d6',
    light: { body: '#f8fafd', surface: '#ffffff', border: '#e3e9f2', primaryTint: '#efebfd' },
    dark: { primaryText: '#b9a8ff', primaryTint: '#30285b' },
    slate: { bg: '#1a2b46', hover: '#25395a', active: '#132136' },
    bar: { bg: '#1a2b46', search: '#2c3c55' },
    gradient: '#42289c, #182848',
  },
  flat: {
    font: ['Nunito Variable', 'Nunito Fallback'],
    size: '14px',
    radius: '3px',
    weights: [500, 700, 700],
    navPadding: '10px 10px',
    card: { border: '1px', shadow: 'none' },
    floatShadow: 'none',
    filled: '#08745a',
    light: { body: '#ffffff', surface: '#f7f8fb', border: '#dfe5ee', primaryTint: '#e4f3ee' },
    dark: { primaryText: '#55d4ab', primaryTint: '#153836' },
    slate: { bg: '#16304a', hover: '#20405f', active: '#0f2438' },
    bar: { bg: '#16304a', search: '#294158' },
    gradient: '#0a5a52, #16304a',
  },
  minimal: {
    font: ['IBM Plex Sans Variable', 'IBM Plex Sans Fallback'],
    size: '14px',
    radius: '2px',
    weights: [500, 500, 700],
    navPadding: '8px 10px',
    card: { border: '1px', shadow: 'none' },
    floatShadow: '0 1px 2px rgb(30 40 55 / 0.1)',
    filled: '#17666c',
    light: { body: '#ffffff', surface: '#ffffff', border: '#e1e5eb', primaryTint: '#e6f1f2' },
    dark: { primaryText: '#71cad1', primaryTint: '#1a343b' },
    slate: { bg: '#1c2632', hover: '#293543', active: '#131b25' },
    bar: { bg: '#1c2632', search: '#2e3742' },
    gradient: '#1d4a52, #1c2632',
  },
}
