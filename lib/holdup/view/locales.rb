# frozen_string_literal: true

require_relative "locales/advice_en"
require_relative "locales/advice_ja"
require_relative "locales/calculate_en"
require_relative "locales/calculate_ja"
require_relative "locales/captures_en"
require_relative "locales/captures_ja"
require_relative "locales/charts_en"
require_relative "locales/charts_ja"
require_relative "locales/compare_en"
require_relative "locales/compare_ja"
require_relative "locales/connections_en"
require_relative "locales/connections_ja"
require_relative "locales/doctor_en"
require_relative "locales/doctor_ja"
require_relative "locales/en"
require_relative "locales/findings_en"
require_relative "locales/findings_ja"
require_relative "locales/ja"
require_relative "locales/jit_en"
require_relative "locales/jit_ja"
require_relative "locales/lab_en"
require_relative "locales/lab_ja"
require_relative "locales/levers_ja"
require_relative "locales/machine_en"
require_relative "locales/machine_ja"
require_relative "locales/pages_en"
require_relative "locales/pages_ja"
require_relative "locales/sweep_en"
require_relative "locales/sweep_ja"
require_relative "locales/timeline_en"
require_relative "locales/timeline_ja"

module Holdup
  module View
    # Every sentence, by language: a table for each subject.
    module Locales
    end
  end
end
