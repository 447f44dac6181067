import {
  checkDomain,
  checkSystemDomain,
  createDomain,
  createSystemDomain,
  deleteDomain,
  deleteSystemDomain,
  listDomains,
  listSystemDomains,
} from '#contract/identity/sign-in-domains.ts'
import {
  createConnection,
  createSystemConnection,
  deleteConnection,
  deleteSystemConnection,
  listConnectionPeople,
  listConnections,
  listSystemConnectionPeople,
  listSystemConnections,
  readConnection,
  readSystemConnection,
  tryConnection,
  trySystemConnection,
  unlinkConnectionPerson,
  unlinkSystemConnectionPerson,
  updateConnection,
  updateSystemConnection,
} from '#contract/identity/sso.ts'

const ofOrganization = {
  list: listConnections,
  create: createConnection,
  read: readConnection,
  update: updateConnection,
  remove: deleteConnection,
  try: tryConnection,
  people: listConnectionPeople,
  unlink: unlinkConnectionPerson,
  domains: listDomains,
  addDomain: createDomain,
  checkDomain,
  removeDomain: deleteDomain,
}

const ofInstallation = {
  list: listSystemConnections,
  create: createSystemConnection,
  read: readSystemConnection,
  update: updateSystemConnection,
  remove: deleteSystemConnection,
  try: trySystemConnection,
  people: listSystemConnectionPeople,
  unlink: unlinkSystemConnectionPerson,
  domains: listSystemDomains,
  addDomain: createSystemDomain,
  checkDomain: checkSystemDomain,
  removeDomain: deleteSystemDomain,
}

/** Whose sign-in it is: an organization's, or with null the installation's, where superadmins enter. */
export type Owner = string | null

export const callsOf = (owner: Owner) => (owner === null ? ofInstallation : ofOrganization)
