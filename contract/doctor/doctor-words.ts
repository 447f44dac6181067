import { alertLimits } from '../platform/alerts.ts'
import type { CheckName, Finding, FindingCode } from './doctor.ts'
import { mailReturnWords } from '../identity/mail-return-words.ts'
import type { MailReturnFault } from '../identity/mail-returns.ts'
import { mailTestWords } from '../identity/mail-test-words.ts'
import type { MailTestResult } from '../identity/mail-server.ts'

/** What was found, in a sentence, and what to do about it where something is to be done. */
type Words = { says: string; todo?: string }
type Values = Finding['values']

export const checkLabels: Record<CheckName, string> = {
  clock: 'Clock',
  disk: 'Disk',
  database: 'Database',
  migrations: 'Tables',
  jobs: 'Background work',
  mail: 'Mail server',
  sender: 'Sender of mails',
  returns: 'Mails that come back',
  storage: 'Files',
  secret: 'Secret',
  backups: 'Backups',
  address: 'Public address',
  proxy: 'Proxy',
  converter: 'Conversion of videos',
  set_aside: 'Set aside',
  ports: 'Port',
}

const addRecord = 'Add this record to the DNS of the domain:'

const clockAndDisk = {
  clock_right: ({ places }) => ({ says: `The clock of this machine goes with that of ${places}.` }),
  clock_drifts: ({ place, seconds }) => ({
    says: `The clock of this machine and that of ${place} are ${seconds} seconds apart.`,
    todo: 'Keep both in step by NTP, on Linux with “timedatectl set-ntp true”.',
  }),
  clock_wrong: ({ place, seconds }) => ({
    says: `The clock of this machine and that of ${place} are ${seconds} seconds apart, so that sessions, codes and evidence are wrong.`,
    todo: 'Set the one that is wrong, and keep both in step by NTP, on Linux with “timedatectl set-ntp true”.',
  }),
  disk_roomy: ({ free, total }) => ({ says: `${free} of ${total} are free for the data.` }),
  disk_tight: ({ free, total }) => ({
    says: `Only ${free} of ${total} are free for the data.`,
    todo: 'Give the disk more room soon, or remove videos that nobody needs: their files go after 30 days.',
  }),
  disk_full: ({ free, total }) => ({
    says: `The disk of the data is almost full: ${free} of ${total} are free.`,
    todo: 'Make room now: uploads stop, and soon the database does. What waits goes on by itself afterwards.',
  }),
  disk_silent: ({ folder }) => ({
    says: `The system does not say how much is free in ${folder}.`,
    todo: 'See on the machine whether the folder is there, and whether it has room for videos.',
  }),
} satisfies Partial<Record<FindingCode, (values: Values) => Words>>

const database = {
  database_answers: ({ version }) => ({ says: `PostgreSQL ${version} answers.` }),
  database_not_begun: ({ folder }) => ({
    says: `In ${folder} there is no database yet.`,
    todo: 'Run “npm start” once, which makes it, or name the right folder in DATA_DIR.',
  }),
  database_empty: () => ({
    says: 'The database answers, and has no tables yet.',
    todo: 'Start the program once: it makes them, and the role by which it serves.',
  }),
  database_gone: ({ reason }) => ({
    says: `The database does not answer: ${reason}.`,
    todo: 'Start it, or correct DATABASE_URL. The embedded one says in postgres.log, beside its data, why it does not run.',
  }),
  database_old: ({ version }) => ({
    says: `The database is PostgreSQL ${version}; 16 is the oldest that has everything needed here.`,
    todo: 'Move the data to PostgreSQL 16, 17 or 18, and name that one in DATABASE_URL.',
  }),
  extensions_missing: ({ names }) => ({
    says: `The database lacks extensions: ${names}.`,
    todo: 'Create each of them in this database, as a user who may: CREATE EXTENSION and its name.',
  }),
  role_bound: ({ role }) => ({
    says: `The server logs in as ${role}, which the policies between organizations bind.`,
  }),
  role_unbound: ({ role }) => ({
    says: `The server logs in as ${role}, which may do more than serve, so that nothing in the database keeps organizations apart.`,
    todo: 'Let DATABASE_URL name sendreel_app: see “A database of your own” in docs/operating.md.',
  }),
  policies_missing: ({ tables }) => ({
    says: `These tables are not divided between organizations: ${tables}.`,
    todo: 'Somebody has changed the database by hand. Restore a backup, or ask who looks after the program.',
  }),
  owner_right: ({ role }) => ({ says: `The tables belong to ${role}, who migrates.` }),
  owner_powerless: ({ role }) => ({
    says: `${role} does not own the tables, and so cannot bring them up to date.`,
    todo: 'Name the owner of the tables in DATABASE_OWNER_URL.',
  }),
  locks_hold: () => ({ says: 'A lock was taken, kept from another connection, and given back.' }),
  locks_lost: () => ({
    says: 'The database does not keep locks: what must be done once is done several times, and mails may leave twice.',
    todo: 'Let DATABASE_DIRECT_URL, or without it DATABASE_URL, name PostgreSQL itself or a pooler in session mode: one in transaction mode loses locks.',
  }),
  connections_fit: ({ processes, each, sum, most }) => ({
    says: `Processes at work: ${processes}. With ${each} connections each they open ${sum} at most, and the server takes ${most}.`,
  }),
  connections_many: ({ processes, each, sum, most }) => ({
    says: `Processes at work: ${processes}. With ${each} connections each they may open ${sum}, and the server takes ${most}.`,
    todo: 'Lower DATABASE_CONNECTIONS, raise max_connections of the server, or put a pooler between them: see “More than one machine” in docs/operating.md.',
  }),
  tables_current: ({ count }) => ({ says: `The tables are those of this release (${count} migrations).` }),
  tables_behind: ({ count }) => ({
    says: `${count} migrations have not been made.`,
    todo: 'Make a backup, then start the program with the owner’s address: it makes them at the start.',
  }),
  jobs_done: ({ milliseconds }) => ({
    says: `A piece of background work was put in line, begun and done within ${milliseconds} ms.`,
  }),
  jobs_stuck: ({ seconds }) => ({
    says: `A piece of background work was put in line, and was not finished within ${seconds} seconds.`,
    todo: 'See in the log of the program what “a job failed” or “the queue of jobs” says, then start the program again.',
  }),
  jobs_failed: ({ count, message }) => ({
    says: `Background work has failed within the last day (${count}), and last with: ${message}.`,
    todo: 'See in Settings, Jobs what it was about. What can be tried again is tried by itself, or offered there.',
  }),
  tables_newer: ({ name }) => ({
    says: `The database was used with a newer release (${name}), which this one would damage.`,
    todo: 'Start the newer release, or go back to a backup from before.',
  }),
} satisfies Partial<Record<FindingCode, (values: Values) => Words>>

const mail = {
  mail_none: () => ({
    says: 'There is no mail server, and mails rest in the outbox.',
    todo: 'Set one up in Settings, Mail, or by SMTP_URL.',
  }),
  mail_answers: ({ host }) => ({ says: `${host} answers, and takes the login.` }),
  mail_unencrypted: ({ host }) => ({
    says: `Mails go to ${host} without encryption.`,
    todo: 'Choose STARTTLS or TLS in Settings, Mail, or name it smtps:// in SMTP_URL.',
  }),
  mail_refuses: ({ host, result, answer }) => ({
    says: `${host} takes no mail${answer ? `, and says: ${answer}` : ''}.`,
    todo: mailTestWords[(result ?? 'broken_off') as MailTestResult],
  }),
  mail_password_lost: () => ({
    says: 'The password of the mail server cannot be opened with the present secret.',
    todo: 'Bring the former secret back, or type the password anew in Settings, Mail.',
  }),
  sender_local: ({ address }) => ({
    says: `Mails are sent as ${address}, which no mail server outside can check.`,
    todo: 'Choose an address of a domain of yours: Settings, Mail, or MAIL_FROM.',
  }),
  domain_unknown: ({ domain }) => ({
    says: `The DNS knows no domain ${domain}, from which mails are sent.`,
    todo: 'Choose an address of a domain of yours: Settings, Mail, or MAIL_FROM. Where this machine asks a DNS of its own, see whether that knows the domain.',
  }),
  dns_silent: ({ domain, reason }) => ({
    says: `The DNS does not answer about ${domain} (${reason}).`,
    todo: 'See whether this machine may ask the DNS, then check again.',
  }),
  spf_there: ({ domain }) => ({ says: `${domain} says who may send in its name (SPF).` }),
  spf_missing: ({ domain, record }) => ({
    says: `${domain} does not say who may send in its name (SPF), so that mails land among unwanted ones.`,
    todo: `${addRecord} ${record} – or the one that your mail provider names.`,
  }),
  spf_double: ({ domain, count }) => ({
    says: `${domain} has ${count} SPF records, and receivers then believe none.`,
    todo: 'Make one record of them, and remove the others.',
  }),
  spf_open: ({ domain }) => ({
    says: `The SPF record of ${domain} ends in +all: it lets everybody send in its name.`,
    todo: 'End the record in ~all or -all.',
  }),
  dkim_there: ({ domain }) => ({ says: `${domain} has keys for signing mails (DKIM).` }),
  dkim_missing: ({ domain }) => ({
    says: `${domain} has no key for signing mails (DKIM).`,
    todo: 'Let your mail provider sign and add the record that it shows, or sign here: Settings, Mail, “Signature”.',
  }),
  dkim_unpublished: ({ domain, record }) => ({
    says: `Mails are signed for ${domain}, and the DNS does not have the key, so that receivers find the signature wrong.`,
    todo: `${addRecord} ${record}`,
  }),
  dmarc_there: ({ domain }) => ({ says: `${domain} says what becomes of forged mails (DMARC).` }),
  returns_none: () => ({
    says: 'No mailbox is read for mails that come back; a mail provider may report them.',
  }),
  returns_read: ({ host, count }) => ({
    says: `The mailbox at ${host} can be read, and has ${count} messages.`,
  }),
  returns_password_lost: () => ({
    says: 'The password of the mailbox for returns cannot be opened with the present secret.',
    todo: 'Bring the former secret back, or type the password anew in Settings, Mail.',
  }),
  returns_unreadable: ({ host, fault }) => ({
    says: `The mailbox at ${host}, to which mails come back, cannot be read.`,
    todo: mailReturnWords[(fault ?? 'broken_off') as MailReturnFault],
  }),
  dmarc_missing: ({ domain, record }) => ({
    says: `${domain} does not say what becomes of forged mails (DMARC), which large receivers ask for.`,
    todo: `${addRecord} ${record}`,
  }),
} satisfies Partial<Record<FindingCode, (values: Values) => Words>>

const machine = {
  storage_works: ({ folder, milliseconds }) => ({
    says: `Files are written to ${folder}, read and removed, and reach the disk within ${milliseconds} ms.`,
  }),
  storage_slow: ({ folder, milliseconds }) => ({
    says: `A small file in ${folder} takes ${milliseconds} ms to reach the disk; everything that is confirmed waits for that.`,
    todo: 'Move the data to a faster disk: a local SSD instead of a network or memory card.',
  }),
  storage_refuses: ({ folder, reason }) => ({
    says: `Nothing can be written in ${folder}: ${reason}.`,
    todo: 'Give the folder to the user who runs the program, and see whether the disk is full or mounted for reading only.',
  }),
  storage_open: ({ folders }) => ({
    says: `Other users of this machine can read these folders: ${folders}.`,
    todo: 'Close them with “chmod -R go-rwx”, or start the program, which does it.',
  }),
  storage_moving: ({ from, to }) => ({
    says: `Files are being moved from ${from} to ${to}.`,
    todo: 'Run “npm run move -- --check” when it is at its end, and then “npm run move -- --forget”.',
  }),
  store_works: ({ place, milliseconds }) => ({
    says: `Files are written to ${place}, read and removed within ${milliseconds} ms.`,
  }),
  store_slow: ({ place, milliseconds }) => ({
    says: `A small file takes ${milliseconds} ms to ${place} and back, and playing waits for that.`,
    todo: 'Choose a store in the network of the server, or look at what slows it.',
  }),
  store_refuses: ({ reason }) => ({
    says: `The store of files cannot be used: ${reason}.`,
    todo: 'See whether the store answers from this machine, and whether the keys may list, read, write and remove in the bucket.',
  }),
  storage_foreign: ({ folder, owner, user }) => ({
    says: `${folder} belongs to user ${owner}, and this is user ${user}, so that some checks say nothing about the server.`,
    todo: 'Run the check as the user who runs the program.',
  }),
  secret_kept: ({ file }) => ({ says: `${file} is readable by its owner only.` }),
  secret_given: () => ({ says: 'The secret comes from SECRET_KEY.' }),
  secret_open: ({ file }) => ({
    says: `Other users of this machine can read ${file}, which opens everything.`,
    todo: 'Close it with “chmod 600”, and think about who may have read it.',
  }),
  secret_missing: ({ file }) => ({
    says: `${file} is missing, although the database has been used: no process starts without it.`,
    todo: 'Bring the file back from a backup. If it is gone for good, “npm run rotate-secret -- --lost” says what ends without it, and takes another.',
  }),
  secret_other: ({ place }) => ({
    says: `The secret in ${place} is not the one that this database has been used with: no process starts with it.`,
    todo: 'Bring the right one back. If it is gone for good, “npm run rotate-secret -- --lost” says what ends without it, and takes another.',
  }),
  secret_not_made: ({ file }) => ({
    says: `${file} is not there yet.`,
    todo: 'The first start makes it. Keep it with the backups.',
  }),
  converter_there: ({ engine }) => ({
    says: `Videos are converted by ${engine}: a second of one was, just now.`,
  }),
  speech_model_there: ({ file }) => ({ says: `Speech is recognised with ${file}, whose checksum is right.` }),
  speech_model_missing: ({ file }) => ({
    says: `WHISPER_MODEL names ${file}, which cannot be read.`,
    todo: 'Put the file back where the server may read it, or leave the setting out.',
  }),
  speech_model_altered: ({ file }) => ({
    says: `WHISPER_MODEL names ${file}, whose SHA-256 is another one than WHISPER_MODEL_SHA256 says.`,
    todo: 'Fetch the file again from where it is published, and compare its checksum with the one there.',
  }),
  converter_passed_over: ({ faults }) => ({ says: `Passed over: ${faults}.` }),
  converter_refused: ({ engine, fault }) => ({
    says: `FFMPEG_PATH names ${engine}, which ${fault}.`,
    todo: 'Name an ffmpeg with libx264 there, itself and no script that starts it, or leave the setting out. Then start the program again.',
  }),
  converter_missing: () => ({
    says: 'Nothing here converts videos, so that none can be used.',
    todo: 'Install ffmpeg (on Debian and Ubuntu “apt-get install ffmpeg”), or name one in FFMPEG_PATH.',
  }),
  boundary_there: () => ({ says: 'Uploaded files are read behind a boundary.' }),
  boundary_missing: ({ reason }) => ({
    says: `Uploaded files are read with the rights of the server, because ${reason}.`,
    todo: 'Let only people whom you trust upload files, or see “Uploaded files” in docs/operating.md.',
  }),
} satisfies Partial<Record<FindingCode, (values: Values) => Words>>

const { backupDays, checkedDays } = alertLimits

const backups = {
  backups_made: ({ age }) => ({ says: `The newest backup is ${age} old.` }),
  backups_off: () => ({
    says: `No backup is made by itself, and none is younger than ${backupDays} days.`,
    todo: 'Switch the plan on: Settings, Backup. Or let the system run “npm run backup” every night.',
  }),
  backups_awaited: () => ({
    says: 'The plan was changed a short while ago, and there is no new backup yet.',
    todo: 'Wait for its hour, or press “Back up now” in Settings, Backup.',
  }),
  backups_missing: () => ({
    says: `The plan has made no good backup for ${backupDays} days.`,
    todo: 'Settings, Backup says why: make room where backups lie, or see whether a process with RUN=worker runs.',
  }),
  backups_checked: ({ age }) => ({ says: `${age} ago a backup was restored on trial, and was whole.` }),
  backups_unchecked: () => ({
    says: `No backup was restored on trial for ${checkedDays} days: nobody knows whether they are good.`,
    todo: 'Let the plan check them: Settings, Backup. An encrypted one is checked by whoever has its key: “npm run backup -- --check --identity key.txt”.',
  }),
  backups_damaged: ({ fault }) => ({
    says: `The newest backup that was checked is damaged: ${fault}.`,
    todo: 'Press “Back up now” in Settings, Backup: damaged files are copied anew, and the plan checks the next one. See whether the disk of the backups has errors.',
  }),
  backups_unreadable: ({ names, folder }) => ({
    says: `What describes these backups cannot be read: ${names}. As long as they are there, no file of a removed backup is deleted.`,
    todo: `Repair them from a copy, or remove their folders from ${folder}. Those of a newer release are read by that one.`,
  }),
} satisfies Partial<Record<FindingCode, (values: Values) => Words>>

const network = {
  address_answers: ({ url }) => ({ says: `${url} leads here.` }),
  address_unset: () => ({
    says: 'PUBLIC_URL is not set, so that links in mails lead to this machine only.',
    todo: 'Set PUBLIC_URL to the address that others open, such as https://training.example.com.',
  }),
  address_unencrypted: ({ url }) => ({
    says: `${url} is not encrypted: passwords can be read on the way, and passkeys do not work.`,
    todo: 'Put a proxy with TLS in front, and begin PUBLIC_URL with https.',
  }),
  address_silent: ({ url, reason }) => ({
    says: `${url} does not answer from here: ${reason}.`,
    todo: 'See whether the name leads to the proxy, the proxy runs and has a valid certificate, and this machine may reach it.',
  }),
  address_foreign: ({ url, status }) => ({
    says: `Something answers at ${url} (status ${status}), but not this installation with this secret.`,
    todo: 'See where the name and the proxy lead, and whether all servers have the same SECRET_KEY.',
  }),
  address_idle: ({ url }) => ({
    says: `Whether ${url} leads here shows only while the program runs.`,
    todo: 'Start the program, then check again.',
  }),
  proxy_none: () => ({ says: 'Requests arrive without a proxy.' }),
  proxy_right: ({ address }) => ({
    says: `Behind the proxy a request from here is known as one from ${address}.`,
  }),
  proxy_untrusted: ({ peer }) => ({
    says: `The proxy at ${peer} is not believed, so that everybody seems to come from there and shares its limits.`,
    todo: `Set TRUSTED_PROXIES to loopback,${peer} or to the network of the proxy, and start the program again.`,
  }),
  proxy_mute: () => ({
    says: 'The proxy does not say whose requests it hands on, and lets everybody claim another address.',
    todo: 'Let it add to X-Forwarded-For. For nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; Caddy does it by itself.',
  }),
  proxy_secretive: ({ peer }) => ({
    says: `The proxy at ${peer} does not say whose requests it hands on, so that everybody shares its limits.`,
    todo: 'Let it add to X-Forwarded-For. For nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; Caddy does it by itself.',
  }),
  proxy_wide: ({ hop }) => ({
    says: `${hop} is believed to be a proxy, so that requests from there can claim any address.`,
    todo: 'Name in TRUSTED_PROXIES only the networks in which proxies are.',
  }),
  port_served: ({ port }) => ({ says: `The program answers on port ${port}.` }),
  port_free: ({ port }) => ({
    says: `Nothing listens on port ${port}: the program does not run.`,
    todo: 'Start it, unless that is as it should be.',
  }),
  port_taken: ({ port }) => ({
    says: `Another program listens on port ${port}, or this one with another secret.`,
    todo: 'End the other one, or choose another port with PORT.',
  }),
} satisfies Partial<Record<FindingCode, (values: Values) => Words>>

const all: Record<FindingCode, (values: Values) => Words> = {
  check_failed: ({ reason }) => ({
    says: `This could not be looked at: ${reason}.`,
    todo: 'Mend what the other findings name, then check again.',
  }),
  took_too_long: () => ({
    says: 'Looking at this took too long.',
    todo: 'See whether the machine is very busy, then check again.',
  }),
  needs_database: () => ({
    says: 'This shows only while the database answers.',
    todo: 'Mend the database first.',
  }),
  ...clockAndDisk,
  ...database,
  ...mail,
  ...machine,
  ...backups,
  ...network,
  nothing_aside: () => ({ says: 'Background work has stepped over nothing.' }),
  something_aside: ({ count, loops, reason }) => ({
    says: `Background work has stepped over ${count} ${count === '1' ? 'thing' : 'things'} that it cannot work on (${loops}): ${reason}.`,
    todo: 'Everything else goes on. Settings, Jobs lists them; each is tried again by itself, and the log has the details.',
  }),
}

export const wordsOf = ({ code, values }: Pick<Finding, 'code' | 'values'>): Words => all[code](values)
