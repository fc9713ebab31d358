# frozen_string_literal: true

module Holdup
  module Ps
    # What an open request or job does, and who holds the GVL, in words. Names and places are untrusted.
    class WorkSentences
      # The agent's name of a thread outside of requests and jobs begins with it.
      THREAD = "thread:"

      # @param unit [Segment::OpenUnit]
      # @return [String] "OrdersController#index", "MailJob [default]"
      def self.name(unit)
        View::Width.clean(unit.queue ? "#{unit.name} [#{unit.queue}]" : unit.name)
      end

      def initialize(words:)
        @words = words
      end

      # @param hold [GvlHold]
      # @return [String] "pid 4711: ReportsController#sales holds the GVL for 41.2 s, last seen at ..."
      def hold(hold)
        facts = {pid: hold.process.pid.to_s, name: holder(hold), time: lasted(hold.seen),
                 place: place(hold.place)}
        # Holdup's own thread asks for the GVL at each tick, so that Ruby code releases it long before: what
        # holds it for so long without a place is C code.
        key = (hold.long? && hold.place.nil?) ? :hold_unplaced : :hold
        @words.list([word(key, **facts), *seen(hold.seen)])
      end

      # @param row [RunningRow]
      # @return [String] "waits for the GVL for 1.2 s, held by ReportsController#sales for 41.2 s"
      def state(row)
        unit = row.unit
        call = unit.call && called(unit.call)
        parts = [main(row, call)]
        parts << word(:in_call, call:) if call && row.state != :call
        parts << word(:at, place: place(unit.place)) if unit.place
        parts << word(:inside, outer: self.class.name(row.outer)) if row.outer
        [*parts, *seen(row.seen)].join(word(:separator))
      end

      private

      def word(key, **facts) = @words.call(:"ps_#{key}", **facts)

      def main(row, call)
        facts = {time: lasted(row.seen)}
        facts[:call] = call if row.state == :call
        hold = row.awaited
        facts.update(holder: hold && holder(hold), held: hold && lasted(hold.seen)) if row.state == :gvl
        word(:"state_#{row.state}", **facts)
      end

      def holder(hold)
        return self.class.name(hold.unit) if hold.unit
        name = View::Width.clean(hold.name.to_s)
        return word(:other_thread) if name.empty?
        name.start_with?(THREAD) ? @words.call(:account, name: name.delete_prefix(THREAD)) : name
      end

      # What has just begun has no length worth saying.
      def lasted(seen)
        ns = seen.lasted_ns
        View::Figures.duration(ns) if ns&.positive?
      end

      # @param call [String] as the segment has it, "sql primary"
      # @return [String] "SQL primary"
      def called(call)
        system, target = call.split(" ", 2)
        return View::Width.clean(call) unless View::CalledSystem::NAMES.include?(system)
        View::CalledSystem.text(system, target, words: @words)
      end

      def place(text) = text && View::Width.clean(SampledPlace.short(text))

      # @return [Array<String>] how old the state is, if it may have changed since
      def seen(seen)
        seen.old? ? [word(:seen, age: View::Figures.duration(seen.age_ns))] : []
      end
    end
  end
end
