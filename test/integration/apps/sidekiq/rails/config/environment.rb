# frozen_string_literal: true

require_relative "application"
require_relative "../../classes"
Rails.application.initialize!
require_relative "../../active_jobs"
