import { PageHead } from '#web/ui/PageHead.tsx'

export function OrganizationDashboard() {
  return <PageHead title="Organization" />
}
