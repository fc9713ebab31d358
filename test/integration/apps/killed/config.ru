# frozen_string_literal: true

run ->(_env) { [200, {}, ["up"]] }
