import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

/** Ten shades around the filled primary colour of the skin (shade 7). */
const green: MantineColorsTuple = [
  '#e2f3ef',
  '#c3e6de',
  '#9fd8ca',
  '#76c7b4',
  '#4fb39e',
  '#2f9b85',
  '#188571',
  '#0c7562',
  '#0a6555',
  '#075145',
]
const red: MantineColorsTuple = [
  '#fbeaeb',
  '#f5d0d2',
  '#ecabae',
  '#e28287',
  '#d65d64',
  '#c94149',
  '#be3038',
  '#b3262f',
  '#991f27',
  '#7c191f',
]

/** Breakpoints of the specification, section 9: 576, 768, 992, 1200 px. */
export const theme = createTheme({
  colors: { green, red },
  primaryColor: 'green',
  primaryShade: 7,
  fontFamily: 'var(--c-font)',
  defaultRadius: 'sm',
  radius: { sm: 'var(--c-radius)' },
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { sm: '20px', md: '20px' },
  breakpoints: { xs: '0em', sm: '36em', md: '48em', lg: '62em', xl: '75em' },
  respectReducedMotion: true,
  focusRing: 'auto',
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'sm' } },
    // In place, so that options lie inside the page's landmarks and inside dialogs.
    Select: { defaultProps: { comboboxProps: { withinPortal: false } } },
    MultiSelect: { defaultProps: { comboboxProps: { withinPortal: false } } },
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'description', 'input', 'error'] } },
  },
})

const shared = {
  '--mantine-color-body': 'var(--c-surface)',
  '--mantine-color-text': 'var(--c-text)',
  '--mantine-color-bright': 'var(--c-heading)',
  '--mantine-color-dimmed': 'var(--c-dimmed)',
  '--mantine-color-placeholder': 'var(--c-dimmed)',
  '--mantine-color-anchor': 'var(--c-primary-text)',
  '--mantine-color-default': 'var(--c-surface)',
  '--mantine-color-default-hover': 'var(--c-raised)',
  '--mantine-color-default-color': 'var(--c-text)',
  '--mantine-color-default-border': 'var(--c-input-border)',
  '--mantine-color-error': 'var(--c-danger)',
  '--mantine-color-disabled': 'var(--c-raised)',
  '--mantine-color-disabled-color': 'var(--c-dimmed)',
  '--mantine-color-disabled-border': 'var(--c-border)',
  '--mantine-color-green-filled': 'var(--c-primary-filled)',
  '--mantine-color-green-text': 'var(--c-primary-text)',
  '--mantine-color-green-light': 'var(--c-primary-tint)',
  '--mantine-color-green-light-hover': 'var(--c-primary-tint)',
  '--mantine-color-green-light-color': 'var(--c-primary-text)',
  '--mantine-color-green-outline': 'var(--c-primary-text)',
  '--mantine-color-red-text': 'var(--c-danger)',
  '--mantine-color-red-light': 'var(--c-danger-tint)',
  '--mantine-color-red-light-hover': 'var(--c-danger-tint)',
  '--mantine-color-red-light-color': 'var(--c-danger)',
  '--mantine-color-red-outline': 'var(--c-danger)',
}

/** Fields and boxes of the dark theme, which Mantine draws in greys of its own. */
const dark = {
  ...shared,
  '--mantine-color-dark-6': 'var(--c-surface)',
  '--mantine-color-dark-7': 'var(--c-raised)',
}

/** Mantine takes its colours from the tokens, so that skin and theme are decided in one place. */
export const variables: CSSVariablesResolver = () => ({ variables: {}, light: shared, dark })
