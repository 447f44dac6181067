import { PageHead } from '#web/ui/PageHead.tsx'

export function OrganizationEdit() {
  return <PageHead title="Edit organization" />
}
