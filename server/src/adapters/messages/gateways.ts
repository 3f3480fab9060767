// Makes the message gateways that the configuration names.

import type { Deps } from '../../kernel/db/index.ts'
import type { Config } from '../../kernel/lib/index.ts'
import { createAfricasTalking } from './africastalking.ts'
import type { Channel, Gateways } from './gateway.ts'
import { createSmtpGateway } from './smtp.ts'

/**
 * Returns true if the channel has a gateway. If the channel has none, the server stores its messages and never sends them.
 */
export function hasGateway(config: Config, channel: Channel): boolean {
  return channel === 'email' ? config.smtp_url !== '' : config.sms_gateway !== ''
}

/** Makes the configured gateways. A gateway makes its first connection for its first message. */
export function createGateways({ config }: Pick<Deps, 'config'>): Gateways {
  const { mail_from: from, brand_name } = config
  return {
    email:
      hasGateway(config, 'email') && from !== null
        ? createSmtpGateway({ url: config.smtp_url, from, brand_name, demand_tls: config.node_env === 'production' })
        : null,
    sms: hasGateway(config, 'sms')
      ? createAfricasTalking({
          url: config.africastalking_url,
          username: config.africastalking_username,
          api_key: config.africastalking_api_key,
          sender: config.sms_sender,
        })
      : null,
  }
}
