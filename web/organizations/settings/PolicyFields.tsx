import { NumberInput, TextInput } from '@mantine/core'
import { choicesOf, RadioChoices } from '#web/ui/RadioChoices.tsx'
import { FieldGroup, optional } from '#web/ui/Field.tsx'
import { PolicyNumber } from './PolicyNumber.tsx'
import { WindowFields } from './WindowFields.tsx'
import { PrivacyFields } from './PrivacyFields.tsx'
import {
  evidenceChoices,
  labels,
  mfaChoices,
  percentOf,
  policyField,
  type OrganizationForm,
} from './values.ts'

type Form = OrganizationForm['form']

/** What holds for everybody of an organization, in the order in which people meet it. */
export function PolicyFields({ form, orgId }: { form: Form; orgId: string }) {
  return (
    <>
      <SignInFields form={form} />
      <ViewingFields form={form} />
      <PrivacyFields form={form} orgId={orgId} />
      <SendingFields form={form} />
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

function ViewingFields({ form }: { form: Form }) {
  return (
    <FieldGroup
      legend="Viewing"
      hint="When somebody has completed a video. Holds for every page that is opened from now on; what has been earned stays."
    >
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
    </FieldGroup>
  )
}
