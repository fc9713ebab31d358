# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # What the result says in words.
      class Sentences
        # @param result [JobsResult]
        # @param words [View::Words]
        def initialize(result, words:)
          @result = result
          @words = words
        end

        # @return [String]
        def title
          @words.call(:lab_jobs_title, sidekiq: setting["jobs_version"], ruby: setting["ruby"],
            vcpus: setting["vcpus"])
        end

        # @return [Array<String>]
        def facts
          [@words.call(:lab_jobs_facts, count: View::Figures.count(@result.count), rounds: @result.round_count), *(if @result.noise
                                                                                                                     @words.call(:lab_jobs_noise, noise: share(@result.noise))
                                                                                                                   end)]
        end

        # @return [Array<String>]
        def verdict
          enough = @result.enough
          [@words.call(:lab_jobs_enough, threads: enough.threads, rate: View::Figures.rate(enough.measured), share: share(JobsResult::ENOUGH)), *(if @result.others.any?
                                                                                                                                                    accuracy
                                                                                                                                                  end)]
        end

        # @return [Array<String>] what makes the figures worth less
        def doubts
          [*(stopped if @result.left.positive?), *(open_end if @result.open_ended?), *(if @result.errors.positive?
                                                                                         @words.call(:lab_jobs_errors, count: @result.errors)
                                                                                       end),
            *(dearest if @result.dearest), *(locked if @result.locked.any?)]
        end

        # @return [String] of an error: "+1.6 %"
        def self.signed(error)
          "#{View::Figures.change(error)} %"
        end

        private

        def setting = @result.setting

        def stopped
          @words.call(:lab_jobs_stopped, left: @result.left, all: @result.plan.steps.size, path: @result.path)
        end

        def open_end
          @words.call(:lab_jobs_open_end, threads: @result.enough.threads,
            share: share(1 - @result.enough.median(&:gvl_share)))
        end

        def accuracy
          @words.call(:lab_jobs_accuracy, baseline: @result.baseline, replay: share(@result.worst),
            closed: share(@result.worst(:closed)), amdahl: share(@result.worst(:amdahl)))
        end

        def dearest
          line = @result.dearest
          @words.call(:lab_jobs_cost, threads: line.threads, share: self.class.signed(@result.cost(line)),
            baseline: @result.baseline)
        end

        def locked
          line = @result.locked.last
          @words.call(:lab_jobs_locked, threads: line.threads, share: share(line.median(&:lock_share)))
        end

        def share(value) = View::Figures.share(value)
      end
    end
  end
end
