// Asks for what the page is drawn with before any bundle has arrived, with the token that is kept: the frame with what is small in
// one call, the list in another. web/api/first.ts hands the answers to whoever asks for them; what a page asks for otherwise goes
// its own way. The build writes this into the console's page; e2e/weight.long.e2e.ts holds that nothing is asked for in vain.
;(function () {
  function text(key) {
    try {
      return localStorage.getItem(key) || ''
    } catch {
      return ''
    }
  }
  function kept(key) {
    try {
      return JSON.parse(text(key)) || {}
    } catch {
      return {}
    }
  }
  var auth = kept('persist:auth')
  var user = auth.user
  if (!auth.isAuthenticated || !auth.token || !user) return
  window.started = []
  function ask(of) {
    var answer = fetch('/api/together?of=' + encodeURIComponent(of.join(' ')), {
      headers: { accept: 'application/json', authorization: 'Bearer ' + auth.token },
    }).then(function (response) {
      if (!response.ok) return undefined
      return response.json().then(function (said) {
        return { answers: said.answers, ends: response.headers.get('x-session-expires') }
      })
    })
    // Whoever waits for it asks again, and hears why.
    window.started.push({ of: of, token: auth.token, answer: answer.catch(function () {}) })
  }

  var id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/
  var rows = kept('tables').rows
  var limit = '&offset=0&limit=' + (rows === 50 || rows === 100 ? rows : 25)
  var cards = text('content-shape') === 'table' ? limit : '&offset=0&limit=24'
  var working =
    user.role === 'superadmin' && id.test(text('working-organization')) ? text('working-organization') : ''
  var of = working && 'organizationId=' + working
  var own = user.organizationId ? '?organizationId=' + user.organizationId : ''
  var path = location.pathname
  // Whoever belongs to one organization is led to it from the list.
  if (path === '/organizations' && user.organizationId) path += '/' + user.organizationId + '/dashboard'
  var one = (path.match(id) || [''])[0]
  var organization = '/organizations/' + one
  var transmission = '/transmissions/' + one
  var sending = user.role === 'groupadmin' ? [] : ['/sending']
  /** Of every dashboard. */
  function parts(about) {
    return [
      '/dashboard/attention' + about,
      '/dashboard/figures' + about,
      '/dashboard/late' + about,
      '/dashboard/work' + about,
    ]
  }
  /** By address: what is small, then what may take longer. */
  var pages = {
    '/dashboard': [
      sending,
      ['/dashboard'].concat(parts(own), user.role === 'superadmin' ? '/dashboard/installation' : []),
    ],
    '/organizations': [[], ['/organizations?sort=name' + limit]],
    '/organizations/*/dashboard': [
      [organization],
      [organization + '/dashboard', organization + '/overview'].concat(parts('?organizationId=' + one)),
    ],
    '/organizations/*/dashboard?tab=users': [[organization], [organization + '/users?sort=name' + limit]],
    '/organizations/*/dashboard?tab=groups': [[organization], [organization + '/groups?sort=name' + limit]],
    '/content': [
      ['/videos/projects?limit=100' + (of && '&' + of), '/videos/tags' + (of && '?' + of)],
      ['/videos?' + (of && of + '&') + 'sort=-createdAt' + cards],
    ],
    '/transmissions': [sending, ['/transmissions?' + (of && of + '&') + 'sort=-createdAt' + limit]],
    '/transmissions/*': [sending.concat(transmission), [transmission + '/deliveries?sort=progress&offset=0']],
  }
  var page = pages[path.replace(id, '*') + location.search] || [[]]
  var frame = ['/auth/session', '/notifications/state'].concat(page[0])
  if (working && working !== one) frame.push('/organizations/' + working)
  if (
    user.role === 'superadmin' &&
    !working &&
    /^\/(content|transmissions|reports\/training-matrix)/.test(location.pathname)
  )
    frame.push('/organizations?limit=2')
  ask(frame)
  if (page[1]) ask(page[1])
})()
