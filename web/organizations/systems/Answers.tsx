import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import type { EventAddress } from '#contract/events/event-addresses.ts'
import type { Answered, WebhookResult } from '#contract/transmissions/webhooks.ts'
import { attempt } from '#web/api/attempt.ts'
import { CopyButton } from '#web/ui/CopyButton.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { StatusBadge } from '#web/ui/figures/StatusBadge.tsx'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'

/** What came of posting something to the address of another system, where it was not taken. */
export const answerWords: Record<Exclude<WebhookResult, 'accepted'>, string> = {
  refused: 'The address refuses it.',
  redirected: 'It names another address, which is not followed. Name that one here.',
  failing: 'It answers that it cannot take anything at the moment.',
  unknown_host: 'There is no such name, or the DNS does not answer.',
  private_address:
    'The name leads into a network that is not the internet. Whoever runs this installation can allow it (WEBHOOK_HOSTS).',
  no_connection: 'Nobody takes connections there.',
  no_encryption: 'There is no encryption (TLS) at this address.',
  certificate: 'Its certificate is not for this name, is over, or is of nobody who is known.',
  timeout: 'It did not answer within ten seconds.',
  broken_off: 'It broke the connection off without an answer.',
  secret_lost:
    'Nothing can be signed, because the secret of the installation is another one by now. Make another secret here.',
}

type SecretProps = { secret: string; onDone: () => void; children: ReactNode }

/** Told once; what it is good for stands in it. */
export function Secret({ secret, onDone, children }: SecretProps) {
  return (
    <Notice
      tone="warning"
      role="status"
      action={
        <Button size="sm" variant="default" onClick={onDone}>
          I have kept it
        </Button>
      }
    >
      <p>This secret is shown now and never again. {children}</p>
      <p>
        <code translate="no">{secret}</code> <CopyButton text={secret} label="Copy the secret" />
      </p>
    </Notice>
  )
}

/** What came back of a test; `taken`: what is said where it was taken. */
export function Tried({ result, status, answer, taken }: Answered & { taken: string }) {
  return (
    <Notice tone={result === 'accepted' ? 'success' : 'danger'} role="status">
      {result === 'accepted' ? taken : answerWords[result]}
      {status !== null && (
        <>
          {' '}
          It answered {status}
          {answer && (
            <>
              : <q>{answer}</q>
            </>
          )}
        </>
      )}
    </Notice>
  )
}

/** Whether it takes what is posted. */
export function AddressState({ fault, aside }: Pick<EventAddress, 'fault' | 'aside'>) {
  if (fault !== null) return <StatusBadge tone="danger">Failing</StatusBadge>
  if (aside > 0) return <StatusBadge tone="warning">Refused some</StatusBadge>
  return <StatusBadge tone="success">Takes events</StatusBadge>
}

export type ReplaceSecretProps = {
  isOpen: boolean
  replace: () => Promise<{ secret: string | null }>
  /** It is shown this once. */
  onSecret: (secret: string | null) => void
  onClose: () => void
}

/** Both secrets hold for a day, so replacing one by mistake breaks nothing. */
export function ReplaceSecret({ isOpen, replace, onSecret, onClose }: ReplaceSecretProps) {
  return (
    <ConfirmDialog
      isOpen={isOpen}
      isDangerous={false}
      title="Replace the secret?"
      confirmLabel="Replace the secret"
      onConfirm={() => attempt(async () => onSecret((await replace()).secret), 'The secret was replaced.')}
      onClose={onClose}
    >
      <p>
        For a day whatever is posted is signed with both, so that nothing is refused while you change it
        there.
      </p>
    </ConfirmDialog>
  )
}
