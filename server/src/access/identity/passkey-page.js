// The script of pages with a passkey. It asks the browser for the passkey, and sends the answer as a field of the form. Without this
// script, or in a browser without passkeys, the form stays hidden.

const form = document.querySelector('form[data-passkey]')
const { passkey: ceremony, options, failed } = form.dataset
const answer = form.querySelector('input[name=passkey]')
const problem = form.querySelector('[role=alert]')
const { PublicKeyCredential: browser } = window
let is_open = false

const parse = {
  create: (text) => browser.parseCreationOptionsFromJSON(JSON.parse(text)),
  get: (text) => browser.parseRequestOptionsFromJSON(JSON.parse(text)),
}

if (browser?.parseCreationOptionsFromJSON) {
  form.hidden = false
  document.querySelector('[data-without-passkeys]')?.remove()
}

form.addEventListener('submit', async (event) => {
  if (answer.value !== '') return
  event.preventDefault()
  if (is_open) return
  is_open = true
  problem.textContent = ''
  try {
    const credential = await navigator.credentials[ceremony]({ publicKey: parse[ceremony](options) })
    answer.value = JSON.stringify(credential)
    form.submit()
  } catch {
    problem.textContent = failed
  }
  is_open = false
})

// If the browser shows the page again from its history, the form must not send an old answer again.
addEventListener('pageshow', () => {
  answer.value = ''
})
