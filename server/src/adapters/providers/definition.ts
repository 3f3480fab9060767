// What the folder of a provider exports through its index.ts. registry.ts lists the providers.

import type { Clock, ConfigurableProvider, Log, Random } from '../../kernel/lib/index.ts'
import type { ProviderExtras, ProviderLists } from './extras.ts'
import type { CallbackSink, Provider } from './port.ts'

/** A provider with its optional functions. */
export type FullProvider = Provider & ProviderExtras & ProviderLists

/** A provider that this process built from the settings. */
export type BuiltProvider = FullProvider & {
  /** Opens slow sessions before the first payment needs them. May throw. */
  warm?(): Promise<void>
  /** Closes the connections. */
  close?(): Promise<void>
}

/** The arguments of `create`. `Settings` are the checked values of the provider's own table. */
export type ProviderParts<Settings> = {
  settings: Settings
  /** The address for the provider's callbacks. Null: the platform has no address yet, so the provider sends none. */
  callback_url: string | null
  /** Takes the callbacks of a provider in this process. */
  sink: CallbackSink
  clock: Clock
  random: Random
  log: Log
}

/** How a provider's statements write the platform's references, if they differ from the sent ones. */
export type StatementForm = {
  /** The form of a reference in a statement. Null if it has none. */
  write(reference: string): string | null
  /** The reference of a text in a statement; null if it has none. `at` is the time of the movement in the statement. */
  read(text: string, at: Date): string | null
}

type AnySettings = Readonly<Record<string, unknown>>

/** A provider as the registry lists it: the exports of its folder. */
export type ProviderDefinition = ConfigurableProvider & {
  /** What the provider can do with these settings. */
  capabilities(settings: AnySettings): Provider['capabilities']
  /** Builds the adapter. It sends nothing before its first call. Throws a ConfigError that names an invalid setting. */
  create(parts: ProviderParts<AnySettings>): BuiltProvider
  /** Null: the provider's statements have the references as they were sent. */
  statementForm: StatementForm | null
  /** Lists warnings about valid settings. `is_prompting` is true if payment prompts go over the provider. */
  warnings?(settings: AnySettings, use: { is_prompting: boolean }): string[]
  /** Builds the provider of the sandbox. One definition has it. */
  createSandbox?(name: string, parts: ProviderParts<AnySettings>): Provider
}
