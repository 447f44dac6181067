import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Reply } from '#contract/endpoint.ts'
import { readFactors, renewRecoveryCodes } from '#contract/identity/factors.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '#web/api/query.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import type { Tone } from '#web/ui/figures/StatusBadge.tsx'
import { Section } from './Section.tsx'

/** `onCodes`: recovery codes that have just been made, to be shown this once. */
export type FactorProps = {
  factors: Reply<typeof readFactors>
  onCodes: (codes: readonly string[]) => void
}

const few = 3

function badgeOf(left: number): { tone: Tone; word: string } {
  if (left === 0) return { tone: 'danger', word: 'None left' }
  return { tone: left <= few ? 'warning' : 'success', word: `${left} left` }
}

export function Recovery({ factors: { totp, passkeys, recoveryCodesLeft }, onCodes }: FactorProps) {
  const [isAsked, setAsked] = useState(false)
  const renew = useChange(renewRecoveryCodes, [readFactors])
  if (totp === null && passkeys.length === 0)
    return (
      <Section
        title="Recovery codes"
        badge={{ tone: 'neutral', word: 'None' }}
        about="You get ten of them together with your first app or passkey, for the day on which you lose it."
      />
    )
  const make = () =>
    attempt(async () => {
      const { recoveryCodes } = await renew.mutateAsync({})
      onCodes(recoveryCodes)
    })
  return (
    <Section
      title="Recovery codes"
      badge={badgeOf(recoveryCodesLeft)}
      about="For the day on which you lose your phone or your passkey: each code lets you in once, with your password."
      actions={
        <Button variant={recoveryCodesLeft <= few ? 'filled' : 'default'} onClick={() => setAsked(true)}>
          Make new codes
        </Button>
      }
    >
      {recoveryCodesLeft <= few && (
        <Notice tone="warning">
          {recoveryCodesLeft === 0
            ? 'No code is left. Make new ones now, before you need one.'
            : 'Only few are left. Make new ones before you need them.'}
        </Notice>
      )}
      <ConfirmDialog
        isOpen={isAsked}
        title="Make new recovery codes?"
        confirmLabel="Make new codes"
        isDangerous={false}
        onConfirm={make}
        onClose={() => setAsked(false)}
      >
        <p>The codes that you have saved before end at once. You see the new ones only this once.</p>
      </ConfirmDialog>
    </Section>
  )
}
