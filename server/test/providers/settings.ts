// Provides settings of the real providers for tests, and reads the messages with which the program refuses wrong settings.

import assert from 'node:assert/strict'
import { PROVIDERS } from '../../src/adapters/providers/registry.ts'
import { ConfigError, readConfig } from '../../src/kernel/lib/index.ts'
import type { SettingValues } from '../../src/kernel/lib/setting.ts'

/** Example values of the settings that Selcom requires. */
export const SELCOM_SETTINGS = {
  SELCOM_URL: 'https://gateway.example/v1',
  SELCOM_API_KEY: 'key',
  SELCOM_API_SECRET: 'secret',
  SELCOM_VENDOR: 'TILL',
  SELCOM_BUYER_EMAIL: 'payments@example.tz',
  SELCOM_BUYER_PHONE: '0754123456',
}

/** Example values of the settings that payouts through Selcom require. */
export const SELCOM_PAYOUT_SETTINGS = {
  SELCOM_FLOAT_VENDOR: 'FLOAT',
  SELCOM_PIN: '1234',
  SELCOM_SENDER_ACCOUNT: 'M1',
  SELCOM_SENDER_NAME: 'Duka Ltd',
  SELCOM_SENDER_PHONE: '0754123456',
}

/** The settings that Vodacom requires. The public key is invalid, so no adapter can start with these settings. */
export const VODACOM_SETTINGS = {
  VODACOM_URL: 'https://openapi.example/openapi/ipg/v2/vodacomTZN',
  VODACOM_API_KEY: 'key',
  VODACOM_PUBLIC_KEY: 'key',
  VODACOM_SERVICE_PROVIDER_CODE: '123456',
}

/** A valid configuration for production with Selcom as the provider. */
export const PRODUCTION_SETTINGS = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://malipo@db/malipo',
  SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  MOCK_SECRET: 'a secret of our own that is long enough',
  BASE_URL: 'https://api.example.tz',
  PROVIDER: 'selcom',
  FOUR_EYES_AMOUNT: '1000000',
  // These settings have no effect with the built-in identity provider.
  DASHBOARD_CLIENT_ID: 'malipo-dashboard',
  OPERATOR_CLIENT_ID: 'malipo-operator',
  ...SELCOM_SETTINGS,
}

type Env = Record<string, string | undefined>

/**
 * Returns the message with which the program refuses a configuration. An empty text means that the program accepts the
 * configuration.
 */
export function refusalOf(env: Env): string {
  try {
    readConfig(env, PROVIDERS)
    return ''
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
  }
}

/** Returns the names of the variables in the program's refusal of a configuration. */
export function refusedFor(env: Env): string[] {
  const message = refusalOf(env)
  return message === '' ? [] : message.split('\n').map((line) => line.split(' ')[0] as string)
}

/** Returns the checked settings of one provider. */
export function settingsIn(env: Env, provider: string): SettingValues {
  return readConfig(env, PROVIDERS).provider_settings.get(provider) as SettingValues
}
