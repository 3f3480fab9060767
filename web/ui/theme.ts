// Defines the theme of both consoles from the tokens of tokens.css. Texts have a contrast of at least 4.5 in light and in dark
// mode.

import { type CSSVariablesResolver, createTheme, InputWrapper, type MantineColorsTuple } from '@mantine/core'
import { facts } from './facts.ts'

const GREEN: MantineColorsTuple = [
  '#e9f7f0',
  '#cfeede',
  '#a2dcc0',
  '#6fc89f',
  '#3fb37f',
  '#1c9d68',
  '#0c8253',
  '#087348',
  '#065c3a',
  '#04452b',
]
const VIOLET: MantineColorsTuple = [
  '#f0effc',
  '#dedbf8',
  '#bdb7f0',
  '#9a91e8',
  '#7b70df',
  '#6154d6',
  '#5648cc',
  '#4a3cb4',
  '#3b2f97',
  '#281f6b',
]
const GRAY: MantineColorsTuple = [
  '#f6f7f9',
  '#eef1f4',
  '#e2e6eb',
  '#d3d9e0',
  '#c8cfd8',
  '#8d97a5',
  '#667080',
  '#55606f',
  '#343c49',
  '#151b23',
]
const DARK: MantineColorsTuple = [
  '#e8ecf1',
  '#c6ced8',
  '#a2adbb',
  '#6b7686',
  '#3d4856',
  '#28303b',
  '#1a212b',
  '#0d1117',
  '#090c11',
  '#05070a',
]

/** The theme of the components. Operators have another accent, so that the two consoles look different. */
export const theme = createTheme({
  colors: { brand: facts.console === 'operator' ? VIOLET : GREEN, gray: GRAY, dark: DARK },
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 6 },
  defaultRadius: 'md',
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  fontFamily: '"Geist", system-ui, -apple-system, "Segoe UI", Roboto, Ubuntu, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SFMono-Regular", Menlo, Consolas, "Noto Sans Mono", monospace',
  fontSizes: { xs: '0.78rem', sm: '0.85rem', md: '0.9375rem', lg: '1.05rem', xl: '1.2rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.5' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.6rem', lineHeight: '1.25' },
      h2: { fontSize: '1.05rem', lineHeight: '1.35' },
      h3: { fontSize: '0.975rem', lineHeight: '1.4' },
    },
  },
  respectReducedMotion: true,
  cursorType: 'pointer',
  // Only the label marks optional fields. Required fields have an attribute that screen readers announce.
  components: { InputWrapper: InputWrapper.extend({ defaultProps: { withAsterisk: false } }) },
})

/** The colours of the component library that both consoles replace. Most new values are tokens of tokens.css. */
const FROM_TOKENS = {
  '--mantine-color-body': 'var(--ground)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--soft)',
  '--mantine-color-placeholder': 'var(--soft)',
  '--mantine-color-error': 'var(--bad)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-red-light': 'var(--bad-back)',
  '--mantine-color-red-light-color': 'var(--bad)',
  '--mantine-color-yellow-light': 'var(--warn-back)',
  '--mantine-color-yellow-light-color': 'var(--warn)',
  '--mantine-color-blue-light': 'var(--wait-back)',
  '--mantine-color-blue-light-color': 'var(--wait)',
  '--mantine-color-teal-light': 'var(--good-back)',
  '--mantine-color-teal-light-color': 'var(--good)',
  '--mantine-color-brand-light': 'var(--accent-soft)',
  '--mantine-color-brand-light-color': 'var(--accent-strong)',
  '--mantine-color-red-filled': '#c02626',
  '--mantine-color-red-filled-hover': '#a01d1d',
}

/** Returns the CSS variables that replace the colours of the component library. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { ...FROM_TOKENS },
  dark: { ...FROM_TOKENS },
})
