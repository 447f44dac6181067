import { NumberInput, TextInput, Checkbox, Textarea } from '@mantine/core'
import { choicesOf, RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { FieldGroup, optional } from '#web/ui/fields/Field.tsx'
import {
  evidenceChoices,
  labels,
  mfaChoices,
  percentOf,
  policyField,
  type OrganizationForm,
  trackingChoices,
  captionChoices,
  watcherChoices,
  units,
} from './values.ts'
import { language } from '#contract/platform/text/language.ts'
import type { SendWindow } from '#contract/transmissions/send-window.ts'
import shapes from '#web/ui/look/shapes.module.css'
import { useState } from 'react'
import { readWatchers, type TrackingMode } from '#contract/directory/organizations.ts'
import { ConfirmDialog } from '#web/ui/overlays/ConfirmDialog.tsx'
import { useQuery } from '@tanstack/react-query'
import { formatDay } from '#contract/platform/text/format.ts'
import { readRetention } from '#contract/evidence/privacy.ts'
import { queryOf } from '#web/api/query.ts'
import { Notice } from '#web/ui/feedback/Notice.tsx'
import { formatNumber, plural } from '#web/ui/format.ts'

type Form = OrganizationForm['form']

/** What holds for everybody of an organization, in the order in which people meet it. */
export function PolicyFields({ form, orgId }: { form: Form; orgId: string }) {
  return (
    <>
      <SignInFields form={form} />
      <ViewingFields form={form} orgId={orgId} />
      <PrivacyFields form={form} orgId={orgId} />
      <SendingFields form={form} />
    </>
  )
}

type Props = { form: OrganizationForm['form'] }

/** What is recorded about people who watch, who learns of it, and how long it is kept. */
function PrivacyFields({ form, orgId }: Props & { orgId: string }) {
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

type PolicyNumberProps = {
  form: OrganizationForm['form']
  name:
    | 'idleMinutes'
    | 'sessionHours'
    | 'smallestGroup'
    | 'retentionMonths'
    | 'sendPerMinute'
    | 'linkDays'
    | 'approvalThreshold'
  description: string
  min: number
  max: number
  /** Left empty it holds nothing, which the description explains. */
  isOptional?: boolean
}

/** A policy that is a whole number. */
function PolicyNumber({ form, name, description, min, max, isOptional = false }: PolicyNumberProps) {
  const path = `policies.${name}` as const
  const field = policyField(form, name)
  const unit = units[path]
  return (
    <NumberInput
      {...field}
      {...(isOptional && {
        label: optional(labels[path] ?? ''),
        value: form.values.policies[name] ?? '',
        onChange: (value) => form.setFieldValue(path, typeof value === 'number' ? value : null),
      })}
      {...(unit ? { suffix: ` ${unit}` } : {})}
      description={description}
      min={min}
      max={max}
      clampBehavior="none"
      allowDecimal={false}
    />
  )
}

/** What the promise about keeping deletes next. */
function NextDeletion({ orgId }: { orgId: string }) {
  const { data } = useQuery(queryOf(readRetention, { params: { orgId } }))
  if (!data) return null
  return (
    <p>
      {data.oldest === null || data.on === null
        ? 'Nothing has been watched yet, so there is nothing to delete.'
        : `With ${data.months} months, as saved, next: ${formatDay(data.on)}, viewing of ${formatDay(data.oldest)} and before.`}
    </p>
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

/** An organization can only ask for more than the installation does. */
function SignInFields({ form }: { form: Form }) {
  return (
    <FieldGroup
      legend="Signing in"
      hint="For people of this organization who work in the console. Who is signed in already is asked at the next sign-in."
    >
      <RadioChoices {...policyField(form, 'mfa')} choices={choicesOf(mfaChoices)} />
      <PolicyNumber
        form={form}
        name="idleMinutes"
        description="5 to 60 minutes without a key or a click."
        min={5}
        max={60}
      />
      <PolicyNumber
        form={form}
        name="sessionHours"
        description="1 to 24 hours after signing in."
        min={1}
        max={24}
      />
    </FieldGroup>
  )
}

function ViewingFields({ form, orgId }: Props & { orgId: string }) {
  return (
    <FieldGroup
      legend="Viewing"
      hint="Who may watch a video, and when somebody has completed it. Holds for every page that is opened from now on; what has been earned stays."
    >
      <RadioChoices {...policyField(form, 'whoMayWatch')} choices={choicesOf(watcherChoices)} />
      {form.values.policies.whoMayWatch === 'signed_in' && <WithoutWayIn orgId={orgId} />}
      <NumberInput
        {...policyField(form, 'completionThreshold')}
        description="The share of a video that somebody has to see."
        suffix="%"
        min={1}
        max={100}
        clampBehavior="none"
        allowDecimal={false}
        value={percentOf(form.values.policies.completionThreshold)}
        onChange={(value) =>
          form.setFieldValue(
            'policies.completionThreshold',
            typeof value === 'number' ? value / 100 : Number.NaN,
          )
        }
      />
      <NumberInput
        {...policyField(form, 'maxRate')}
        description="What is played faster earns nothing."
        suffix=" ×"
        min={1}
        max={4}
        step={0.25}
        clampBehavior="none"
      />
      <EvidenceChoice form={form} name="completionEvidence" />
      <EvidenceChoice form={form} name="certificateEvidence" />
    </FieldGroup>
  )
}

/** Nobody is locked out without being named. */
function WithoutWayIn({ orgId }: { orgId: string }) {
  const { data } = useQuery(queryOf(readWatchers, { params: { orgId } }))
  if (!data) return null
  const { people, without, some } = data
  if (without === 0)
    return <p role="status">Everybody of your organization has a way to sign in, so nobody is locked out.</p>
  const names = new Intl.ListFormat(language).format([
    ...some.map(({ name }) => name),
    ...(without > some.length ? [`${formatNumber(without - some.length)} more`] : []),
  ])
  return (
    <Notice tone="warning" role="status">
      <p>
        <strong>
          {without === 1
            ? `1 of ${plural(people, 'person', 'people')} has no way to sign in and could not watch any video:`
            : `${formatNumber(without)} of ${plural(people, 'person', 'people')} have no way to sign in and could not watch any video:`}
        </strong>{' '}
        {names}.
      </p>
      <p>
        Invite them, or connect the sign-in of your organization. Until then their pages tell them to ask your
        organization.
      </p>
    </Notice>
  )
}

/** What is contradicted is not among the choices: it never counts. */
function EvidenceChoice({ form, name }: { form: Form; name: 'completionEvidence' | 'certificateEvidence' }) {
  return (
    <RadioChoices
      {...policyField(form, name)}
      description="What is contradicted, because the server never handed it out, does not count in any case."
      choices={choicesOf(evidenceChoices)}
    />
  )
}

const usual: SendWindow = { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' }
/** 1 January 2024 was a Monday. */
const dayName = (day: number) =>
  new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day))

/** When mails may leave. */
function WindowFields({ form }: { form: OrganizationForm['form'] }) {
  const hours = form.values.policies.sendWindow
  const set = (patch: Partial<SendWindow> | null) =>
    form.setFieldValue('policies.sendWindow', patch && { ...usual, ...hours, ...patch })
  const errorOf = (field: string) => form.errors[`policies.sendWindow.${field}`]
  return (
    <fieldset className={shapes.stack} id="field-policies-sendWindow" tabIndex={-1}>
      <legend>{labels['policies.sendWindow']}</legend>
      <Checkbox
        label="Only on these days, within these hours"
        description="On the clock of the organization. Outside of them messages and reminders wait; each can be let go all the same."
        checked={hours !== null}
        onChange={(event) => set(event.currentTarget.checked ? usual : null)}
      />
      {hours && (
        <>
          <Checkbox.Group
            label="Days"
            error={errorOf('days')}
            value={hours.days.map(String)}
            onChange={(days) => set({ days: days.map(Number).toSorted((one, other) => one - other) })}
          >
            <div className={shapes.row}>
              {[1, 2, 3, 4, 5, 6, 7].map((day) => (
                <Checkbox key={day} value={String(day)} label={dayName(day)} />
              ))}
            </div>
          </Checkbox.Group>
          <div className={shapes.row}>
            <TextInput
              type="time"
              label="From"
              error={errorOf('from')}
              value={hours.from}
              onChange={(event) => set({ from: event.currentTarget.value })}
            />
            <TextInput
              type="time"
              label="To"
              error={errorOf('to')}
              value={hours.to}
              onChange={(event) => set({ to: event.currentTarget.value })}
            />
          </div>
        </>
      )}
    </fieldset>
  )
}

/** Left empty, everything is as the installation does it. */
function SendingFields({ form }: { form: Form }) {
  const { senderName, replyTo } = form.values.policies
  return (
    <FieldGroup
      legend="Sending"
      hint="For the messages with videos. Invitations and reports carry the name of the sender as well; codes come from the installation."
    >
      <TextInput
        {...policyField(form, 'senderName')}
        label={optional(labels['policies.senderName'] ?? '')}
        description="What recipients see as the sender, before its address."
        value={senderName ?? ''}
        onChange={({ currentTarget }) =>
          form.setFieldValue('policies.senderName', currentTarget.value || null)
        }
        maxLength={100}
        autoComplete="off"
      />
      <TextInput
        {...policyField(form, 'replyTo')}
        label={optional(labels['policies.replyTo'] ?? '')}
        description="An address that somebody reads. Left empty, answers go to the address of the installation."
        value={replyTo ?? ''}
        onChange={({ currentTarget }) => form.setFieldValue('policies.replyTo', currentTarget.value || null)}
        type="email"
        autoComplete="off"
      />
      <PolicyNumber
        form={form}
        name="sendPerMinute"
        description="So that a whole company does not watch at the same moment. Left empty, as many as the installation sends."
        min={1}
        max={10_000}
        isOptional
      />
      <PolicyNumber
        form={form}
        name="linkDays"
        description="For new transmissions; each of them can name a day of its own. Left empty, links do not end."
        min={1}
        max={1_000}
        isOptional
      />
      <PolicyNumber
        form={form}
        name="approvalThreshold"
        description="A transmission to more people than these waits until another administrator, or a superadmin, approves it; nobody approves their own. With 0 every transmission waits, left empty none does."
        min={0}
        max={10_000_000}
        isOptional
      />
      <WindowFields form={form} />
      <RadioChoices {...policyField(form, 'captionPolicy')} choices={choicesOf(captionChoices)} />
    </FieldGroup>
  )
}
