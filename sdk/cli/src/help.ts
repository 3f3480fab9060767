// Contains the help of each command, and the scripts that complete commands in a shell.

import { TRIGGERED } from './trigger.ts'

/** The help of a command: its usage line, its summary, its text and its options. */
export type Help = { usage: string; summary: string; text: string; options: readonly string[] }

const JSON_OPTION = '--json           print one JSON object for each line'

/** The help of each command, in the order of the overview. */
export const HELP: Readonly<Record<string, Help>> = {
  login: {
    usage: 'malipo login [--base-url URL]',
    summary: 'store an API key on this computer',
    text: 'Asks for the key, or reads it from standard input, and checks it. The key goes into the keyring of the system (secret-tool), or into a file that only you can read. MALIPO_API_KEY and MALIPO_BASE_URL replace a login.',
    options: ['--base-url URL   the server (default: that of the last login, or http://127.0.0.1:8080)', JSON_OPTION],
  },
  logout: { usage: 'malipo logout', summary: 'remove the stored key', text: '', options: [JSON_OPTION] },
  listen: {
    usage: 'malipo listen --forward-to URL [--event EVENT] [--from-now]',
    summary: 'forward events to a program of this computer',
    text: 'Forwards each event at least once, with the headers and bytes of a webhook, signed with a secret that the command prints. After a restart, the command continues where it stopped, and forwards the events that it missed in the last 30 days. Needs a key with the scope webhooks:manage.',
    options: [
      '--forward-to URL the address that receives the events',
      '--event EVENT    only this event',
      '--from-now       forget where the last run stopped',
      JSON_OPTION,
    ],
  },
  trigger: {
    usage: 'malipo trigger EVENT',
    summary: 'make a sandbox payment or payout that leads to an event',
    text: `Events: ${TRIGGERED.join(', ')}.`,
    options: [JSON_OPTION],
  },
  replay: {
    usage: 'malipo replay --since TIME [--until TIME] [--event EVENT] [--forward-to URL]',
    summary: 'send past events again',
    text: 'TIME is 2h, 30m, 1d or 2026-01-05T09:00:00Z. With --forward-to, this computer sends the events to that address, oldest first. Without it, the server sends the deliveries to your configured endpoints once more.',
    options: [
      '--since TIME     the first event',
      '--until TIME     the end (default: now)',
      '--event EVENT    only this event',
      '--forward-to URL the address that receives the events',
      JSON_OPTION,
    ],
  },
  logs: {
    usage: 'malipo logs tail [--status STATUS] [--since TIME] | [--events] [--event EVENT]',
    summary: 'show API requests or events as they happen',
    text: 'Shows one line for each request with a key of this merchant and environment: time, method, path, status, error code, duration, request id and key. Needs a key with the scope requests:read. With --events, shows events, which needs the scope webhooks:manage. The dashboard shows the bodies.',
    options: [
      '--status STATUS  only requests with 2xx, 3xx, 4xx or 5xx, or with one status such as 409',
      '--since TIME     also the requests since 30m, 2h, or 2026-01-05T09:00:00Z',
      '--events         events in place of requests',
      '--event EVENT    only this event',
      JSON_OPTION,
    ],
  },
  pay: {
    usage: 'malipo pay PHONE AMOUNT [--reference TEXT] [--idempotency-key KEY] [--live]',
    summary: 'request a payment and wait for its result',
    text: 'The exit code is 0 only if the payment is successful. If the outcome is unknown, the command prints the key with which you repeat it.',
    options: [
      '--reference TEXT your order or invoice id',
      '--idempotency-key KEY the key of a payment that you request again',
      '--live           required with a live key, because the payer pays real money',
      JSON_OPTION,
    ],
  },
  get: {
    usage: 'malipo get ID|REFERENCE',
    summary: 'show a record by its id or reference, whatever its kind is',
    text: 'Finds payments, payment links, invoices, payouts, transactions, deliveries and events by id, and payments and payouts by your own reference, such as ORDER-1042.',
    options: [JSON_OPTION],
  },
  open: {
    usage: 'malipo open ID|REFERENCE [--print]',
    summary: 'open the page of a record in the dashboard',
    text: 'Prints the address, and opens it if this computer can.',
    options: ['--print          only print the address', JSON_OPTION],
  },
  completion: {
    usage: 'malipo completion bash|zsh',
    summary: 'print the completion for a shell',
    text: 'bash: source <(malipo completion bash)\nzsh:  source <(malipo completion zsh)',
    options: [],
  },
  help: { usage: 'malipo help [COMMAND]', summary: 'show the help of a command', text: '', options: [] },
}

/** Returns the overview: one line for each command. */
export function overview(): string {
  const rows = Object.entries(HELP).map(([name, { summary }]) => `  ${name.padEnd(11)} ${summary}`)
  return `malipo: a tool for developers of the Malipo payment API\n\nCommands:\n${rows.join('\n')}\n\n"malipo help COMMAND" describes a command. Every command takes --json.\n`
}

/** Returns the help text of a command that exists. */
export function commandHelp(name: string): string {
  const { usage, summary, text, options } = HELP[name] as Help
  const listed = options.length === 0 ? '' : `\nOptions:\n${options.map((one) => `  ${one}`).join('\n')}\n`
  return `${usage}\n\n${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${text === '' ? '' : `\n${text}`}\n${listed}`
}

/** Returns the script with which a shell completes the names of commands. */
export function completion(shell: 'bash' | 'zsh'): string {
  const names = Object.keys(HELP).join(' ')
  const words = (name: string) => (HELP[name]?.options ?? []).map((one) => one.split(' ')[0]).join(' ')
  const extra: Record<string, string> = {
    trigger: TRIGGERED.join(' '),
    logs: 'tail',
    completion: 'bash zsh',
    help: names,
  }
  const cases = Object.keys(HELP)
    .map((name) => `    ${name}) words="${[words(name), extra[name] ?? ''].join(' ').trim()}" ;;`)
    .join('\n')
  const script = `_malipo() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" words="${names}"
  if [ "$COMP_CWORD" -gt 1 ]; then
    case "\${COMP_WORDS[1]}" in
${cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _malipo malipo
`
  return shell === 'bash' ? script : `autoload -U +X bashcompinit && bashcompinit\n${script}`
}
