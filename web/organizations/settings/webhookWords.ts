import type { WebhookResult } from '#contract/transmissions/webhooks.ts'

/** What came of handing a message to an address for SMS and chat. */
export const webhookWords: Record<WebhookResult, string> = {
  accepted: 'The test was taken. It goes to nobody.',
  refused: 'The address refuses the message.',
  redirected: 'It names another address, which is not followed. Name that one here.',
  failing: 'It answers that it cannot take messages at the moment.',
  unknown_host: 'There is no such name, or the DNS does not answer.',
  private_address:
    'The name leads into a network that is not the internet. Whoever runs this installation can allow it (WEBHOOK_HOSTS).',
  no_connection: 'Nobody takes connections there.',
  no_encryption: 'There is no encryption (TLS) at this address.',
  certificate: 'Its certificate is not for this name, is over, or is of nobody who is known.',
  timeout: 'It did not answer within ten seconds.',
  broken_off: 'It broke the connection off without an answer.',
  secret_lost:
    'Nothing can be signed, because the secret of the installation is another one by now. Replace the secret here.',
}
