import { PageHead } from '#web/ui/PageHead.tsx'

export function OrganizationsPage() {
  return <PageHead title="Organizations" />
}
