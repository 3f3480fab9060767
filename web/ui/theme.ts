// Defines the theme of both consoles. The colours have a contrast of at least 4.5, in light and in dark mode.

import { type CSSVariablesResolver, createTheme, InputWrapper } from '@mantine/core'

/** The theme of the components of both consoles. */
export const theme = createTheme({
  primaryColor: 'teal',
  primaryShade: { light: 9, dark: 9 },
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, Ubuntu, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SFMono-Regular", Menlo, Consolas, "Noto Sans Mono", monospace',
  headings: { sizes: { h1: { fontSize: '1.6rem' }, h2: { fontSize: '1.2rem' }, h3: { fontSize: '1.05rem' } } },
  respectReducedMotion: true,
  cursorType: 'pointer',
  // The label marks optional fields. Required fields have an attribute that screen readers announce.
  components: { InputWrapper: InputWrapper.extend({ defaultProps: { withAsterisk: false } }) },
})

/** The colours of a button under the pointer. These colours are darker than the normal colours. */
const HOVERED = { '--mantine-color-teal-filled-hover': '#066649', '--mantine-color-red-filled-hover': '#a61e1e' }

/** Replaces the greys and reds of the component library that have too little contrast. */
export const cssVariables: CSSVariablesResolver = (given) => ({
  variables: {},
  light: {
    ...HOVERED,
    '--mantine-color-teal-light-color': '#0b6b45',
    '--mantine-color-red-light-color': '#a61e1e',
    '--mantine-color-yellow-light-color': '#7a4b00',
    '--mantine-color-blue-light-color': '#1b4f91',
    '--mantine-color-dimmed': given.colors.gray?.[7] ?? '#495057',
    '--mantine-color-placeholder': given.colors.gray?.[7] ?? '#495057',
    '--mantine-color-error': given.colors.red?.[9] ?? '#c92a2a',
    '--mantine-color-anchor': given.colors.teal?.[9] ?? '#087f5b',
  },
  dark: {
    ...HOVERED,
    '--mantine-color-dimmed': given.colors.dark?.[1] ?? '#b8b8b8',
    '--mantine-color-placeholder': given.colors.dark?.[1] ?? '#b8b8b8',
    '--mantine-color-error': given.colors.red?.[4] ?? '#ff8787',
    '--mantine-color-anchor': given.colors.teal?.[4] ?? '#38d9a9',
  },
})
