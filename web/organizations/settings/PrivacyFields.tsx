import { Textarea } from '@mantine/core'
import { useState } from 'react'
import type { TrackingMode } from '#contract/directory/organizations.ts'
import { choicesOf, RadioChoices } from '#web/ui/RadioChoices.tsx'
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx'
import { FieldGroup, optional } from '#web/ui/Field.tsx'
import { NextDeletion } from './NextDeletion.tsx'
import { PolicyNumber } from './PolicyNumber.tsx'
import { labels, policyField, trackingChoices, type OrganizationForm } from './values.ts'

type Props = { form: OrganizationForm['form'] }

/** What is recorded about people who watch, who learns of it, and how long it is kept. */
export function PrivacyFields({ form, orgId }: Props & { orgId: string }) {
  const { consentText } = form.values.policies
  return (
    <FieldGroup legend="Privacy" hint="What your organization promises its people and its auditors.">
      <TrackingMode form={form} />
      <PolicyNumber
        form={form}
        name="smallestGroup"
        description="Curves and statistics are shown only when at least so many people are in them; where only completions are recorded, every figure of how people watched. From 2 to 50."
        min={2}
        max={50}
      />
      <Textarea
        {...policyField(form, 'consentText')}
        label={optional(labels['policies.consentText'] ?? '')}
        description="Stands above the player, together with a sentence of the product about what is recorded. Whoever presses Play has been shown it; which text that was is kept. Plain text."
        value={consentText ?? ''}
        onChange={({ currentTarget }) =>
          form.setFieldValue('policies.consentText', currentTarget.value || null)
        }
        autosize
        minRows={3}
        maxRows={12}
        maxLength={2_000}
      />
      <PolicyNumber
        form={form}
        name="retentionMonths"
        description="What is older is deleted every hour: reports of the players, parts, viewing sessions. Stays for good: who completed a video and when, certificates, and totals that name nobody."
        min={1}
        max={120}
      />
      <NextDeletion orgId={orgId} />
    </FieldGroup>
  )
}

/** Recording less is asked about, because it deletes; it happens when the form is saved. */
function TrackingMode({ form }: Props) {
  const [isAsking, setAsking] = useState(false)
  const [began] = useState(form.values.policies.trackingMode)
  const { onChange: _asks, ...field } = policyField(form, 'trackingMode')
  const choose = (mode: TrackingMode) => form.setFieldValue('policies.trackingMode', mode)
  return (
    <>
      <RadioChoices
        {...field}
        onChange={(mode) => {
          if (mode === 'full' || began === 'completed_only')
            choose(mode === 'full' ? 'full' : 'completed_only')
          else setAsking(true)
        }}
        choices={choicesOf(trackingChoices)}
      />
      {began === 'completed_only' && form.values.policies.trackingMode === 'full' && (
        <p role="status">
          What people watch is shown from about a day after you save. What they watched before stays hidden
          and is deleted.
        </p>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title="Record only completions?"
        confirmLabel="Record only completions"
        cancelLabel="Keep recording parts"
        onConfirm={() => choose('completed_only')}
        onClose={() => setAsking(false)}
      >
        <p>
          As soon as you save, nobody sees any more which parts of a video a person watched, for how long, or
          when: only whether they completed it, and on which day. That holds for everything that was watched
          until now as well.
        </p>
        <p>
          <strong>Lost for ever:</strong> within a day the parts, minutes, positions, viewing sessions and
          devices of everybody who has completed a video; 30 days after their last session those of everybody
          else, and with them that they had begun. Switching back brings nothing of it back.
        </p>
        <p>
          <strong>Stays:</strong> who completed what and on which day, certificates that were issued, and
          totals of a video that name nobody.
        </p>
      </ConfirmDialog>
    </>
  )
}
