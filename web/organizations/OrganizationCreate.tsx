import { PageHead } from '#web/ui/PageHead.tsx'

export function OrganizationCreate() {
  return <PageHead title="New organization" />
}
