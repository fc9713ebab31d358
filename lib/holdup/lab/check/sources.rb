# frozen_string_literal: true

module Holdup
  module Lab
    class Check
    end

    # Where a check's figures come from: a sweep's file, or a span of a store.
    module Check::Sources
      module_function

      # @param path [String]
      # @param load [Endpoints::Reference, nil] that the sweep must have tried; nil: its baseline at the
      #   lowest rate
      # @return [Baseline]
      # @raise [Holdup::Error]
      def sweep(path, load: nil)
        readings = Sweep::ProgressFile.open(path).then { |ledger| load ? ledger.readings : ledger.readings.select { |reading| reading.arm.setting == ledger.plan.baseline } }
        load ||= readings.min_by(&:rate)&.load
        same = readings.select { |reading| reading.load == load }
        if same.empty?
          raise Error.new(
            "#{path} measured nothing #{"at #{load.to_h.map { |pair| pair.join(" ") }.join(", ")}" if load}".strip, "sweep the setting and rate of the baseline, or make it anew with --write"
          )
        end
        Check::Baseline.new(load, middle(same.map(&:endpoints)))
      end

      # @param store [Store::Sql]
      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param load [Endpoints::Reference, nil] nil: as it was recorded
      # @return [Baseline]
      # @raise [Holdup::Error] there is nothing
      def store(store, from_s, to_s, load: nil)
        recording = Sizing::Recording.new(windows: store.windows(from_s, to_s).to_a,
          profiles: store.profiles(from_s, to_s).to_a, warm_up_s: 0)
        if recording.profiles.empty?
          raise Error.new("no single requests were recorded in that span",
            "choose another with --since and --until")
        end
        endpoints = Endpoints.new(Sizing::Observation.new(recording, kind: :request), load:)
        Check::Baseline.new(endpoints.load, endpoints.to_h)
      end

      # Of several rounds the middle one, figure by figure.
      def middle(all)
        all.flat_map(&:keys).uniq.sort.to_h do |name|
          own = all.filter_map { |endpoints| endpoints[name] }
          [name,
            Endpoints::Figures.new(**Endpoints::Figures.members.to_h { |key|
              [key,
                own.map(&key).sort[(own.size - 1) / 2]]
            })]
        end
      end
      private_class_method :middle
    end
  end
end
