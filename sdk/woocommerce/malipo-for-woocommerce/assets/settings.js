// Runs the buttons of the settings page: sends the action to the shop, and shows its answer.
for (const button of document.querySelectorAll('button[data-malipo]')) {
  button.addEventListener('click', async () => {
    const { url, action, nonce, failed } = window.malipoSettings
    const answer = document.getElementById('malipo-answer')
    button.disabled = true
    answer.textContent = '…'
    try {
      const body = new URLSearchParams({ action, _ajax_nonce: nonce, what: button.dataset.malipo })
      const reply = await (await fetch(url, { method: 'POST', body, credentials: 'same-origin' })).json()
      answer.textContent = reply.data.text ?? reply.data
      // The field shows the new secret. Otherwise a later "Save changes" would overwrite the new secret with the old one.
      const field = document.getElementById('woocommerce_malipo_webhook_secret')
      if (field !== null && reply.data.secret !== undefined) field.value = reply.data.secret
    } catch {
      answer.textContent = failed
    } finally {
      button.disabled = false
    }
  })
}
