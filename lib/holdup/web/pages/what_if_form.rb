# frozen_string_literal: true

module Holdup
  class Web
    module Pages
      # The form that asks what another load, machine or setting would bring, as `holdup whatif` does.
      class WhatIfForm
        # What the address calls them, with an example. Plain names would be those of filters.
        HINTS = {"if_load" => "x2", "if_vcpus" => "4", "if_threads" => "3", "if_processes" => "2",
                 "if_slice" => "10ms"}.freeze
        SIZE = (1..1000)

        # @param query [PageQuery]
        def initialize(query)
          @query = query
        end

        # @param words [View::Words]
        # @return [Controls::Form]
        def block(words)
          fields = HINTS.map do |name, hint|
            Controls::Field.new(name:, label: words.call(:"field_#{name}"), value: @query[name], hint:)
          end
          title = words.call(:what_if_title)
          button = words.call(:what_if_button)
          Controls::Form.new(title:, page: "advice", fields:, button:)
        end

        # @return [Boolean]
        def asked?
          HINTS.keys.any? { |name| @query[name] }
        end

        # @return [Sizing::WhatIf::WhatIfChange]
        # @raise [UsageError] for what can't be read
        def change
          @change ||= Sizing::WhatIf::WhatIfChange.new(**given.compact)
        end

        private

        def given
          {factor: read("if_load", :factor), vcpus: read("if_vcpus", :positive),
           threads: read("if_threads", :whole, SIZE), processes: read("if_processes", :whole, SIZE),
           time_slice_ns: read("if_slice", :time_slice)}
        end

        def read(name, how, *range)
          @query[name] && Queries::OptionValues.public_send(how, name, @query[name], *range)
        end
      end
    end
  end
end
