// Contains the names of the providers. The file has no other texts, because the banner of each page needs the names.

import { texts, useTexts } from '../ui/language.ts'

const providerNames = texts({
  sw: {
    mock: 'Mtandao wa kuigiza',
    sandbox: 'Majaribio',
    selcom: 'Selcom',
    vodacom: 'Vodacom M-Pesa',
  } as Record<string, string>,
  en: { mock: 'Simulated network', sandbox: 'Sandbox', selcom: 'Selcom', vodacom: 'Vodacom M-Pesa' },
})

/** Returns a function that returns the name of a provider for its code. An unknown code stays unchanged. */
export function useProviderName(): (code: string) => string {
  const names = useTexts(providerNames)
  return (code) => names[code] ?? code
}
