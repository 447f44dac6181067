document.title = 'Sendreel'
