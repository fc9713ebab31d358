# frozen_string_literal: true

# What planted work does at which lock (planted_locks.rb).
module LockPlan
  # At which lock, what, and for how many milliseconds it keeps the lock or takes to make what it gives.
  WORK = {
    "edit" => ["Mutex", :keep, 4], "publish" => ["Mutex", :keep, 15],
    "refresh" => ["Monitor", :keep, 3], "rebuild" => ["Monitor", :keep, 12],
    "pack" => ["Queue", :take], "pick" => ["Queue", :give, 5], "buy" => ["Queue", :give, 9],
    "ship" => ["ConditionVariable", :take], "load" => ["ConditionVariable", :give, 4],
    "label" => ["ConditionVariable", :give, 8]
  }.freeze
  NAMES = WORK.keys.freeze
  # Those that wait for others.
  WAITING = WORK.reject { |_, (_, action)| action == :give }.keys.freeze
  LOCKS = WORK.transform_values(&:first).freeze
end
