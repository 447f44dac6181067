import { FieldsEditor } from '#web/shell/fields/FieldsEditor.tsx'
import { useUser } from '#web/shell/useSession.ts'

/** The fields of the reader's own organization. */
export function Fields() {
  const { organizationId } = useUser()
  return organizationId && <FieldsEditor orgId={organizationId} />
}
