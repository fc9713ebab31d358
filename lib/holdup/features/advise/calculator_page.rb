# frozen_string_literal: true

module Holdup
  module Advise
    # The thread calculator. It opens with the mean request of the span, else with the mean job, and works
    # without any data.
    class CalculatorPage < View::PageBase
      IO = "45%"
      FIELDS = {"io" => "45%", "running" => "12ms", "idle" => "30ms", "acquisitions" => "8"}.freeze
      # Any of these says whose times they are.
      ENOUGH = %w[io running idle].freeze
      SLIDERS = {"io" => [0..99, "%", "share"], "running" => [0.1..1000, "ms", "times"],
                 "idle" => [0.1..1000, "ms", "times"], "acquisitions" => [1..200, "", "times"]}.freeze

      def blocks
        table = calculation.section.with(title: word(:by_threads))
        [lead, form, calculation.charts, table, calculation.notes]
      end

      def span? = false

      private

      def json = calculation.json

      def form
        fields = FIELDS.map { |name, hint|
          Web::Pages::Controls::Field.new(name:, label: word(:"field_#{name}"), value: shown(name), hint:,
            slider: Web::Pages::Controls::Slider.new(*SLIDERS[name]))
        }
        Web::Pages::Controls::Form.new(title: calculation.title, page: "calculator", fields:,
          button: word(:calculate_button))
      end

      # In one block: while a slider moves, no other block may move.
      def lead
        View::Blocks::Lead.new(text: @words.sentences([calculation.answer, *calculation.source]))
      end

      def shown(name)
        return query[name] if asked?
        return of_recorded[name] if recorded
        (name == "io") ? IO : nil
      end

      def asked? = ENOUGH.any? { |name| query[name] }

      def timed?
        return !recorded.nil? unless asked?
        !query["io"] && !!(query["running"] || query["idle"])
      end

      # @return [RecordedDemand, nil] nil where nothing was recorded, or times are given
      def recorded
        return if asked?
        return @recorded if defined?(@recorded)
        windows = store.sums(query.from_s, query.until_s, kinds: %i[request job]).map(&:window)
        @recorded = RecordedDemand.of(windows)
      end

      # @return [Hash{String => String}] as the fields have it
      def of_recorded
        demand = recorded.demand
        times = {"running" => demand.held_ns, "idle" => demand.idle_ns}
        {**times.transform_values { |ns| "#{(ns / 1_000_000.0).round(2)}ms" },
          "acquisitions" => demand.acquisitions.to_s}
      end

      def calculation
        @calculation ||= CalculationReport.new(calculator, words: @words, timed: timed?, recorded:)
      end

      def calculator
        @calculator ||= Sizing::Calculator.new(demand)
      end

      def demand
        return recorded.demand if recorded
        return Sizing::ServiceDemand.of_share(Queries::OptionValues.share("io", shown("io"))) unless timed?
        unless query["running"] && query["idle"]
          raise View::InputError.new(:demand_in_part)
        end
        Sizing::ServiceDemand.new(held_ns: time("running"), idle_ns: time("idle"),
          acquisitions: Queries::OptionValues.whole("acquisitions", query["acquisitions"] || "1",
            1..1_000_000))
      end

      def time(name)
        found = Queries::OptionValues.duration(name, query[name])
        (found.zero? && name == "running") ? raise(View::InputError.new(:never_running)) : found
      end
    end
  end
end
