// Defines the commands that also work with an invalid configuration and without a database.

import { canonicalPhone, type EffectiveSetting, isMailAddress } from '../../kernel/lib/index.ts'
import { formatDoctor, runDoctor } from './doctor.ts'
import type { DoctorInput } from './doctor-result.ts'
import { type Option, type OptionValues, UsageError } from './options.ts'

/** The result of `config check`. `file` is the file of settings. Null means that the program reads no file. */
export type ConfigCheck = { ok: boolean; file: string | null; settings: EffectiveSetting[]; problems: string[] }

/** The functions of the program that these commands call. */
type Program = {
  reportConfig(): ConfigCheck
  gatherDoctorInput(send_test_to: string | null): Promise<DoctorInput & { close(): Promise<void> }>
}

/** The result of a command for `--json`, and its text. If `ok` is false, the exit code is 1. */
type StandaloneResult = { result: { ok: boolean } & Record<string, unknown>; text: string }

/** A command that also works with an invalid configuration. `takes` lists its options. */
type StandaloneCommand = {
  takes: readonly Option[]
  run(values: OptionValues, program: Program): Promise<StandaloneResult>
}

/** The commands that also work with an invalid configuration, by name. */
export const STANDALONE: Record<string, StandaloneCommand> = {
  'config check': {
    takes: [],
    async run(_values, { reportConfig }) {
      const result = reportConfig()
      return { result, text: formatConfigCheck(result) }
    },
  },
  doctor: {
    takes: ['send-test-to'],
    async run(values, { gatherDoctorInput }) {
      const input = await gatherDoctorInput(testRecipient(values['send-test-to']))
      try {
        const result = await runDoctor(input)
        return { result, text: formatDoctor(result) }
      } finally {
        await input.close()
      }
    },
  },
}

function testRecipient(given: string | undefined): string | null {
  if (given === undefined) return null
  if (isMailAddress(given) || canonicalPhone(given) !== null) return given
  throw new UsageError('--send-test-to must be an e-mail address or a Tanzanian mobile number')
}

/**
 * Checks the options and returns the command with this name. If the command needs a valid configuration, returns null.
 */
export function findStandalone(name: string, values: OptionValues): StandaloneCommand | null {
  const command = Object.hasOwn(STANDALONE, name) ? STANDALONE[name] : undefined
  if (command === undefined) return null
  requireOptions(name, values, command.takes)
  return command
}

/** If an option is not in `takes`, throws a UsageError. Every command accepts --json. */
export function requireOptions(name: string, values: OptionValues, takes: readonly Option[]): void {
  for (const option of Object.keys(values) as Option[]) {
    if (option !== 'json' && !takes.includes(option))
      throw new UsageError(`the command "${name}" has no option --${option}`)
  }
}

/** Returns one line for each setting with its value and source, then one line for each problem. */
function formatConfigCheck({ file, settings, problems }: ConfigCheck): string {
  const lines = settings.map(({ name, value, source }) => `${name}=${value}  (${source})`)
  const found = problems.length === 0 ? 'No problems.' : `Problems: ${problems.length}`
  return `${[`File of settings: ${file ?? 'none'}`, ...lines, '', found, ...problems.map((line) => `- ${line}`)].join('\n')}\n`
}
