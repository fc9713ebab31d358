# frozen_string_literal: true

require_relative "fresh"
require_relative "result"
require_relative "rounds"
require_relative "spread"
