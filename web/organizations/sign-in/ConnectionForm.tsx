import { Button, Checkbox, TextInput } from '@mantine/core'
import '@mantine/core/styles/Checkbox.layer.css'
import { Link } from '@tanstack/react-router'
import { type Connection, ConnectionInput, grantedRoles, secondSteps } from '#contract/identity/sso.ts'
import { useContractForm } from '#web/api/forms/form.ts'
import { useChange } from '#web/api/query.ts'
import { UnsavedGuard } from '#web/layout/UnsavedGuard.tsx'
import { FieldGroup, Facts } from '#web/ui/fields/Field.tsx'
import '#web/ui/fields/fields.ts'
import { FormLayout } from '#web/ui/fields/FormLayout.tsx'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { choicesOf, RadioChoices } from '#web/ui/fields/RadioChoices.tsx'
import { SecretInput } from '#web/ui/fields/SecretInput.tsx'
import columns from '#web/ui/table/columns.module.css'
import shapes from '#web/ui/look/shapes.module.css'
import { roleNames } from '../../session/roleNames.ts'
import { callsOf, type Owner } from './calls.ts'
import { homeOf } from './Home.tsx'
import { RuleRows } from './RuleRows.tsx'
import { labels, type useConnectionForm } from './useConnectionForm.ts'

const secondStepChoices: Record<(typeof secondSteps)[number], { label: string; means: string }> = {
  ours: { label: 'No', means: 'Who needs a second step is asked for it here, as after a password.' },
  told: {
    label: 'Where the provider says so',
    means:
      'It says with each sign-in how somebody proved who they are (amr). Without that, it is asked for here.',
  },
  theirs: { label: 'Always', means: 'Only if your provider asks everybody for a second step.' },
}

const hints = {
  name: 'What people read on the button, such as the name of your company.',
  issuer: 'The address by which your provider calls itself. It begins with https://.',
  clientId: 'Under which your provider knows this console.',
}

/** What a provider has to be told, and tells; the rest is chosen on the page of the connection. */
export function NewConnection({
  owner,
  onMade,
}: {
  owner: Owner
  onMade: (made: Connection) => Promise<void>
}) {
  const calls = callsOf(owner)
  const create = useChange(calls.create, [calls.list])
  const { field, layout, isDirty } = useContractForm<ConnectionInput, Connection>({
    schema: ConnectionInput,
    initialValues: {
      kind: 'oidc',
      name: '',
      issuer: '',
      clientId: '',
      clientSecret: '',
      isOn: true,
      creates: false,
      grants: 'admin',
      secondStep: 'ours',
      rules: [],
    },
    labels,
    save: (body) => create.mutateAsync({ params: { orgId: owner ?? '' }, body }),
    onSaved: onMade,
  })
  return (
    <div className={columns.form}>
      <FormLayout
        {...layout}
        submitLabel="Save and go on"
        isNew
        cancel={
          <Button variant="default" renderRoot={(props) => <Link {...props} {...homeOf(owner)} />}>
            Cancel
          </Button>
        }
      >
        <TextInput {...field('name')} description={hints.name} autoComplete="off" />
        <TextInput {...field('issuer')} description={hints.issuer} type="url" autoComplete="off" />
        <TextInput {...field('clientId')} description={hints.clientId} autoComplete="off" />
        <SecretInput
          {...field('clientSecret')}
          description="It is kept encrypted and shown to nobody."
          autoComplete="new-password"
        />
      </FormLayout>
      <Providers />
      <UnsavedGuard isDirty={isDirty} />
    </div>
  )
}

function Providers() {
  return (
    <section className={`${shapes.card} ${shapes.pad} ${shapes.stack}`} aria-labelledby="providers">
      <h2 id="providers">Where to find these values</h2>
      <p>
        Register this console at your provider as a web application. If it asks for a redirect address at
        once, enter <code translate="no">{location.origin}</code>; the right one is shown on the next page.
      </p>
      <Facts
        facts={[
          {
            label: 'Microsoft Entra ID',
            value: (
              <>
                App registrations, New registration, Web. Issuer:{' '}
                <code translate="no">https://login.microsoftonline.com/TENANT/v2.0</code>
              </>
            ),
          },
          {
            label: 'Google Workspace',
            value: (
              <>
                Google Cloud, Credentials, OAuth client ID. Issuer:{' '}
                <code translate="no">https://accounts.google.com</code>
              </>
            ),
          },
          {
            label: 'Okta',
            value: (
              <>
                Applications, Create App Integration, OIDC, Web. Issuer:{' '}
                <code translate="no">https://COMPANY.okta.com</code>
              </>
            ),
          },
          {
            label: 'Keycloak',
            value: (
              <>
                Clients, Create client, Client authentication on. Issuer:{' '}
                <code translate="no">https://HOST/realms/REALM</code>
              </>
            ),
          },
        ]}
      />
    </section>
  )
}

type Props = { owner: Owner; connection: Connection; edited: ReturnType<typeof useConnectionForm> }

export function ConnectionForm({ owner, connection, edited }: Props) {
  const { form, field, check, layout, isDirty } = edited
  const { values, setFieldValue } = form
  const isAnother = values.issuer !== connection.issuer || values.clientId !== connection.clientId
  return (
    <>
      <FormLayout {...layout} submitLabel="Save changes">
        <Checkbox {...check('isOn')} description="Switched off, nobody is signed out; nobody new comes in." />
        <FieldGroup legend="From your provider">
          <TextInput {...field('name')} description={hints.name} autoComplete="off" />
          <TextInput {...field('issuer')} description={hints.issuer} type="url" autoComplete="off" />
          <TextInput {...field('clientId')} description={hints.clientId} autoComplete="off" />
          <SecretInput
            {...field('clientSecret')}
            description={
              isAnother || connection.isSecretLost
                ? 'Please type it again: it belongs to the issuer and the client ID.'
                : 'It is kept encrypted and shown to nobody. Empty: it stays as it is.'
            }
            value={values.clientSecret ?? ''}
            onChange={(event) => setFieldValue('clientSecret', event.currentTarget.value || undefined)}
            autoComplete="new-password"
          />
        </FieldGroup>
        <RadioChoices {...field('secondStep')} choices={choicesOf(secondStepChoices)} />
        {owner !== null && (
          <FieldGroup legend="Who may come in">
            <Checkbox
              {...check('creates')}
              description="Those of a proved domain to whom a rule gives a role. Otherwise only people who are in the organization already, or invited, sign in by their address."
            />
            <NativeChoice
              {...field('grants')}
              description="Nobody above it signs in by this connection, and no rule gives more."
              data={grantedRoles.map((role) => ({ value: role, label: roleNames[role] }))}
            />
            <RuleRows orgId={owner} edited={edited} />
          </FieldGroup>
        )}
      </FormLayout>
      <UnsavedGuard isDirty={isDirty} />
    </>
  )
}
