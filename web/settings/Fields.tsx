import { FieldsEditor } from '#web/organizations/settings/FieldsEditor.tsx'
import { useUser } from '#web/session/useSession.ts'

/** The fields of the reader's own organization. */
export function Fields() {
  const { organizationId } = useUser()
  return organizationId && <FieldsEditor orgId={organizationId} />
}
