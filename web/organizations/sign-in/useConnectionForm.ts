import { type Connection, ConnectionChange } from '#contract/identity/sso.ts'
import { useContractForm } from '#web/api/forms/form.ts'
import { useChange } from '#web/api/query.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { callsOf, type Owner } from './calls.ts'

export const labels = {
  name: 'Name',
  issuer: 'Issuer',
  clientId: 'Client ID',
  clientSecret: 'Client secret',
  isOn: 'People may sign in by it',
  creates: 'Create people at their first sign-in',
  grants: 'Highest role',
  secondStep: 'Does it count as second step?',
  rules: 'Rules',
}

const valuesOf = (connection: Connection): ConnectionChange => {
  const { kind, name, issuer, clientId, isOn, creates, grants, secondStep, rules } = connection
  return { kind, name, issuer, clientId, clientSecret: undefined, isOn, creates, grants, secondStep, rules }
}

/** The form of a connection, whose rules others show the effect of before they are saved. */
export function useConnectionForm(
  owner: Owner,
  connection: Connection,
  onSaved: (saved: Connection) => void,
) {
  const calls = callsOf(owner)
  const update = useChange(calls.update, [calls.list, calls.read])
  const form = useContractForm<ConnectionChange, Connection>({
    schema: ConnectionChange,
    initialValues: valuesOf(connection),
    labels,
    save: (body) =>
      update.mutateAsync({
        params: { orgId: owner ?? '', connectionId: connection.id },
        body,
        ifMatch: connection,
      }),
    onSaved: async (saved) => {
      onSaved(saved)
      // The secret is not shown again, not even in its own field.
      form.show(valuesOf(saved), valuesOf(saved))
      toast.success(`${saved.name} was saved.`)
    },
  })
  return form
}
